/* SPDX-License-Identifier: GPL-2.0-only */
/* All headers of the library, ours or the C library's, as the include path has it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include "dwarves.h"
#include "dutil.h"
#include "list.h"
#include "rbtree.h"
#include "btf_encoder.h"
#include "elf_symtab.h"
#include "gobuffer.h"
#include "hash.h"
#include "ctf.h"
#include "libctf.h"
#include "dwarves_emit.h"
#include "dwarves_reorganize.h"
