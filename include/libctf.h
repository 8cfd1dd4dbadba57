/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LIBCTF_H
#define _LIBCTF_H

/* Reading and writing Solaris CTF. */

#include "dwarves_types.h"
#include "elf_symtab.h"
#include "gobuffer.h"

#define ctf__for_each_symtab_function(ctf, index, sym) \
	elf_symtab__for_each_symbol((ctf)->symtab, index, sym) \
		if (ctf__ignore_symtab_function(&sym, elf_sym__name(&sym, (ctf)->symtab))) \
			continue; \
		else

#define ctf__for_each_symtab_object(ctf, index, sym) \
	elf_symtab__for_each_symbol((ctf)->symtab, index, sym) \
		if (ctf__ignore_symtab_object(&sym, elf_sym__name(&sym, (ctf)->symtab))) \
			continue; \
		else

#endif
