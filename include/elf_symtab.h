/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _ELF_SYMTAB_H_
#define _ELF_SYMTAB_H_ 1

/* Walking a symbol table with libelf, whose data the structure holds. */

#include "dwarves_types.h"

static inline uint32_t elf_symtab__nr_symbols(const struct elf_symtab *symtab)
{
	return symtab->nr_syms;
}

static inline const char *elf_sym__name(const GElf_Sym *sym, const struct elf_symtab *symtab)
{
	return (const char *)symtab->symstrs->d_buf + sym->st_name;
}

static inline uint8_t elf_sym__type(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info);
}

static inline uint16_t elf_sym__section(const GElf_Sym *sym)
{
	return sym->st_shndx;
}

static inline uint8_t elf_sym__bind(const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info);
}

static inline uint8_t elf_sym__visibility(const GElf_Sym *sym)
{
	return GELF_ST_VISIBILITY(sym->st_other);
}

static inline uint32_t elf_sym__size(const GElf_Sym *sym)
{
	return (uint32_t)sym->st_size;
}

static inline uint64_t elf_sym__value(const GElf_Sym *sym)
{
	return sym->st_value;
}

static inline bool elf_sym__is_local_function(const GElf_Sym *sym)
{
	return elf_sym__type(sym) == STT_FUNC && sym->st_name != 0 && sym->st_shndx != SHN_UNDEF;
}

static inline bool elf_sym__is_local_object(const GElf_Sym *sym)
{
	return elf_sym__type(sym) == STT_OBJECT && sym->st_name != 0 && sym->st_shndx != SHN_UNDEF;
}

/* The symbol and the index of its section, which may be too large for the symbol itself. */
static inline bool elf_sym__get(Elf_Data *syms, Elf_Data *syms_sec_idx_table, int id, GElf_Sym *sym, Elf32_Word *sym_sec_idx)
{
	if (gelf_getsymshndx(syms, syms_sec_idx_table, id, sym, sym_sec_idx) == NULL)
		return false;
	if (sym->st_shndx != SHN_XINDEX)
		*sym_sec_idx = sym->st_shndx;
	return true;
}

#define elf_symtab__for_each_symbol(symtab, index, sym) \
	for (index = 0, gelf_getsym((symtab)->syms, index, &sym); index < (symtab)->nr_syms; \
	     index++, gelf_getsym((symtab)->syms, index, &sym))

#define elf_symtab__for_each_symbol_index(symtab, id, sym, sym_sec_idx) \
	for (id = 0; id < (symtab)->nr_syms; id++) \
		if (elf_sym__get((symtab)->syms, (symtab)->syms_sec_idx_table, id, &sym, &sym_sec_idx))

#endif
