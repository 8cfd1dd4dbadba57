/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _DWARVES_REORGANIZE_H_
#define _DWARVES_REORGANIZE_H_ 1

/* libdwarves_reorganize: moving members so that holes close. */

#include "dwarves_types.h"

#ifdef __cplusplus
#define class dwarves_class
extern "C" {
#endif

void class__subtract_offsets_from(struct class *cls, struct class_member *from, const uint16_t size);
void class__add_offsets_from(struct class *cls, struct class_member *from, const uint16_t size);
void class__fixup_alignment(struct class *cls, const struct cu *cu);
void class__reorganize(struct class *cls, const struct cu *cu, const int verbose, FILE *fp);

#ifdef __cplusplus
}
#undef class
#endif

#endif
