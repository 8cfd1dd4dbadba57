/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _DUTIL_H_
#define _DUTIL_H_ 1

/* Small helpers: bits, strings, lists of strings, sections of an ELF file. */

#include <string.h>

#include "dwarves_types.h"
#include "list.h"
#include "rbtree.h"

#define BITS_PER_LONG ((int)sizeof(long) * 8)

#ifndef __maybe_unused
#define __maybe_unused __attribute__((__unused__))
#endif

#ifndef __pure
#define __pure __attribute__((pure))
#endif

#define roundup(x, y) ((((x) + ((y) - 1)) / (y)) * (y))

#ifndef DW_TAG_LLVM_annotation
#define DW_TAG_LLVM_annotation 0x6000
#endif

#ifndef DW_TAG_GNU_annotation
#define DW_TAG_GNU_annotation 0x6001
#endif

#ifndef DW_AT_GNU_annotation
#define DW_AT_GNU_annotation 0x2139
#endif

#define tag__is_annotation(tag) ((tag) == DW_TAG_LLVM_annotation || (tag) == DW_TAG_GNU_annotation)

static inline __attribute__((const)) bool is_power_of_2(unsigned long n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* The number of the highest bit set, counted from 1; 0 for 0. */
static inline int fls(int x)
{
	return x ? 32 - __builtin_clz((unsigned int)x) : 0;
}

static inline int fls64(uint64_t x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned fls_long(unsigned long l)
{
	return (unsigned)fls64(l);
}

/* Counted from 0; undefined for 0. */
static inline unsigned long __fls(unsigned long word)
{
	return (unsigned long)fls64(word) - 1;
}

/* Both fit initialisers when n is constant; undefined for 0. */
#define ilog2(n) (63 - __builtin_clzll((unsigned long long)(n)))
#define roundup_pow_of_two(n) ((n) == 1 ? 1UL : 1UL << (ilog2((n) - 1) + 1))

/* argp's two variables, as constants. */
#define ARGP_PROGRAM_VERSION_HOOK_DEF \
	void (*const apvh)(FILE *, struct argp_state *) __asm("argp_program_version_hook")
#define ARGP_PROGRAM_BUG_ADDRESS_DEF \
	const char *const apba__ __asm("argp_program_bug_address")

static inline bool strlist__empty(const struct strlist *slist)
{
	return rb_first(&slist->entries) == NULL;
}

/* In the order in which the strings were added. */
#define strlist__for_each_entry_safe(slist, pos, n) \
	list_for_each_entry_safe(pos, n, &(slist)->list_entries, node)

static inline bool strstarts(const char *str, const char *prefix)
{
	return strncmp(str, prefix, strlen(prefix)) == 0;
}

#define zfree(ptr) __zfree((void **)(ptr))

#endif
