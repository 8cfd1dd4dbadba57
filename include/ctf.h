/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _CTF_H
#define _CTF_H

/* The numbers of the Solaris CTF format, version 2. */

#include "dwarves_types.h"

#define CTF_MAGIC 0xcff1
#define CTF_MAGIC_SWAP 0xf1cf
#define CTF_VERSION 2
#define CTF_FLAGS_COMPR 0x01

/* References to strings: which table in bit 31, offset below. */
#define CTF_REF_OFFSET(REF) ((REF) & 0x7fffffff)
#define CTF_REF_TBL_ID(REF) (((REF) >> 31) & 0x1)
#define CTF_STR_TBL_ID_0 0
#define CTF_STR_TBL_ID_1 1
#define CTF_REF_ENCODE(TBL, OFF) (((TBL) << 31) | (OFF))

/* The info half-word: kind, root flag, number of parts. */
#define CTF_GET_KIND(VAL) (((VAL) >> 11) & 0x1f)
#define CTF_GET_VLEN(VAL) ((VAL) & 0x3ff)
#define CTF_ISROOT(VAL) (((VAL) & 0x400) != 0)
#define CTF_INFO_ENCODE(KIND, VLEN, ISROOT) (((ISROOT) ? 0x400 : 0) | ((KIND) << 11) | (VLEN))

#define CTF_TYPE_KIND_UNKN 0
#define CTF_TYPE_KIND_INT 1
#define CTF_TYPE_KIND_FLT 2
#define CTF_TYPE_KIND_PTR 3
#define CTF_TYPE_KIND_ARR 4
#define CTF_TYPE_KIND_FUNC 5
#define CTF_TYPE_KIND_STR 6
#define CTF_TYPE_KIND_UNION 7
#define CTF_TYPE_KIND_ENUM 8
#define CTF_TYPE_KIND_FWD 9
#define CTF_TYPE_KIND_TYPDEF 10
#define CTF_TYPE_KIND_VOLATILE 11
#define CTF_TYPE_KIND_CONST 12
#define CTF_TYPE_KIND_RESTRICT 13
#define CTF_TYPE_KIND_MAX 31

/* The word behind integers and floats: attributes, offset and size in bits. */
#define CTF_TYPE_INT_ATTRS(VAL) ((VAL) >> 24)
#define CTF_TYPE_INT_OFFSET(VAL) (((VAL) >> 16) & 0xff)
#define CTF_TYPE_INT_BITS(VAL) ((VAL) & 0xffff)
#define CTF_TYPE_INT_ENCODE(ATTRS, OFF, BITS) (((ATTRS) << 24) | ((OFF) << 16) | (BITS))
#define CTF_TYPE_INT_SIGNED 0x1
#define CTF_TYPE_INT_CHAR 0x2
#define CTF_TYPE_INT_BOOL 0x4
#define CTF_TYPE_INT_VARARGS 0x8

#define CTF_TYPE_FP_ATTRS(VAL) CTF_TYPE_INT_ATTRS(VAL)
#define CTF_TYPE_FP_OFFSET(VAL) CTF_TYPE_INT_OFFSET(VAL)
#define CTF_TYPE_FP_BITS(VAL) CTF_TYPE_INT_BITS(VAL)
#define CTF_TYPE_FP_ENCODE(ATTRS, OFF, BITS) CTF_TYPE_INT_ENCODE(ATTRS, OFF, BITS)
#define CTF_TYPE_FP_SINGLE 1
#define CTF_TYPE_FP_DOUBLE 2
#define CTF_TYPE_FP_CMPLX 3
#define CTF_TYPE_FP_CMPLX_DBL 4
#define CTF_TYPE_FP_CMPLX_LDBL 5
#define CTF_TYPE_FP_LDBL 6
#define CTF_TYPE_FP_INTVL 7
#define CTF_TYPE_FP_INTVL_DBL 8
#define CTF_TYPE_FP_INTVL_LDBL 9
#define CTF_TYPE_FP_IMGRY 10
#define CTF_TYPE_FP_IMGRY_DBL 11
#define CTF_TYPE_FP_IMGRY_LDBL 12
#define CTF_TYPE_FP_MAX 12

/* Structs of fewer bytes have short member records. */
#define CTF_SHORT_MEMBER_LIMIT 8192

#endif
