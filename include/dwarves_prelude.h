/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DWARVES_PRELUDE_H
#define DWARVES_PRELUDE_H

/*
 * What dwarves_types.h needs in front of it: the headers of elfutils, enumerations, and names of structures that stay closed.
 *
 * Two structures and a member have names that are keywords in C++. There they are called dwarves_class and dwarves_namespace;
 * dwarves_postlude.h ends that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <obstack.h>
#include <dwarf.h>
#include <gelf.h>
#include <elfutils/libdwfl.h>

struct argp_state;
struct btf;
struct btf_encoder;
struct class_member_filter;
struct cus;
struct elf_functions;
struct strings;

/* Completed later, but seen in prototypes before. */
struct conf_load;
struct cu;
struct tag;

/* What becomes of a unit that was shown to the program. */
enum load_steal_kind {
	LSK__KEEPIT,
	LSK__DELETE,
	LSK__STOP_LOADING,
	LSK__ABORT,
};

/* DWARF's numbers, as values of cu->language. */
enum dwarf_languages {
	LANG_C89 = 1,
	LANG_C,
	LANG_Ada83,
	LANG_C_plus_plus,
	LANG_Cobol74,
	LANG_Cobol85,
	LANG_Fortran77,
	LANG_Fortran90,
	LANG_Pascal83,
	LANG_Modula2,
	LANG_Java,
	LANG_C99,
	LANG_Ada95,
	LANG_Fortran95,
	LANG_PL1,
	LANG_Objc,
	LANG_ObjC_plus_plus,
	LANG_UPC,
	LANG_D,
};

/* Where a variable lives: one byte. */
enum vscope {
	VSCOPE_UNKNOWN,
	VSCOPE_LOCAL,
	VSCOPE_GLOBAL,
	VSCOPE_REGISTER,
	VSCOPE_OPTIMIZED,
} __attribute__((packed));

/* base_type->float_type; 0 for a type that is no floating point number. */
enum base_type_float_type {
	BT_FP_SINGLE = 1,
	BT_FP_DOUBLE,
	BT_FP_CMPLX,
	BT_FP_CMPLX_DBL,
	BT_FP_CMPLX_LDBL,
	BT_FP_LDBL,
	BT_FP_INTVL,
	BT_FP_INTVL_DBL,
	BT_FP_INTVL_LDBL,
	BT_FP_IMGRY,
	BT_FP_IMGRY_DBL,
	BT_FP_IMGRY_LDBL,
};

/* Which variables are encoded. */
enum btf_var_option {
	BTF_VAR_NONE,
	BTF_VAR_PERCPU,
	BTF_VAR_GLOBAL,
};

#ifdef __cplusplus
#define class dwarves_class
#define namespace dwarves_namespace
#endif

#endif
