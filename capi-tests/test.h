/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the behaviour test share. Everything is printed, and the print compared with expected.txt. */
#ifndef TEST_H
#define TEST_H

#include <stdlib.h>

#include "headers.h"

void test_containers(void);
void test_languages(void);
void test_units(void);
void test_tags(void);
void test_layouts(void);
void test_ctf(void);
void test_trees(void);
/* The folder with the files to load. */
void test_elf(const char *folder);
void test_loading(const char *folder);
void test_printing(const char *folder);
void test_companions(const char *folder);

/* The same numbers on every machine. */
static inline unsigned int next_random(unsigned int *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static inline const char *or_null(const char *s)
{
	return s ? s : "(null)";
}

/* A tag of a unit, all zero but for its kind and, if it is a list head's owner, what the caller initialises. */
static inline void *new_tag(struct cu *cu, size_t size, uint16_t kind)
{
	struct tag *tag = cu__tag_alloc(cu, size);

	if (tag == NULL)
		abort();
	INIT_LIST_HEAD(&tag->node);
	tag->tag = kind;
	return tag;
}

/* A base type, struct or the like that is in the unit's table of types; its id. */
uint32_t add_base_type(struct cu *cu, const char *name, uint16_t bits);
struct class *add_struct(struct cu *cu, const char *name, uint32_t size, uint32_t *id);
struct class_member *add_member(struct class *cls, struct cu *cu, const char *name, uint32_t type, uint32_t offset,
				size_t size);

#endif
