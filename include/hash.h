/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_HASH_H
#define _LINUX_HASH_H

#include <stdint.h>

/* Fibonacci hashing: the upper bits of the product with 2^64 divided by the golden ratio. */
static inline uint64_t hash_64(const uint64_t val, const unsigned int bits)
{
	return (val * 11400714819323198485ULL) >> (64 - bits);
}

#endif
