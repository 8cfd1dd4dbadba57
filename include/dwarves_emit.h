/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _DWARVES_EMIT_H_
#define _DWARVES_EMIT_H_ 1

/* libdwarves_emit: writing out types with everything their definitions need. */

#include "dwarves_types.h"

#ifdef __cplusplus
extern "C" {
#endif

void type_emissions__init(struct type_emissions *temissions, struct conf_fprintf *conf_fprintf);
struct type *type_emissions__find_definition(const struct type_emissions *temissions, uint16_t tag, const char *name);
void type__emit(struct tag *tag_type, struct cu *cu, const char *prefix, const char *suffix, FILE *fp);
int type__emit_definitions(struct tag *tag, struct cu *cu, struct type_emissions *emissions, FILE *fp);
int ftype__emit_definitions(struct ftype *ftype, struct cu *cu, struct type_emissions *emissions, FILE *fp);

#ifdef __cplusplus
}
#endif

#endif
