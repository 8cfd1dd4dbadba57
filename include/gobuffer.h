/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GOBUFFER_H_
#define _GOBUFFER_H_ 1

/* A growing buffer. Start with a zeroed structure whose index is 1: offset 0 means "none". */

#include "dwarves_types.h"

static inline const void *gobuffer__entries(const struct gobuffer *gb)
{
	return gb->entries;
}

static inline unsigned int gobuffer__nr_entries(const struct gobuffer *gb)
{
	return gb->nr_entries;
}

static inline unsigned int gobuffer__size(const struct gobuffer *gb)
{
	return gb->index;
}

#endif
