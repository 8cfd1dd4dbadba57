/* Prints what libdwfl makes of the files named on the command line: addresses of allocated sections, and size and FNV-1a hash of
   the contents of debugging sections, relocated and decompressed. One line each, to be compared with ours. */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

static int print(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *arg)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *scn = NULL;
	size_t names;

	if (dwfl_module_getdwarf(module, &bias) == NULL)
		printf("no DWARF: %s\n", dwfl_errmsg(-1));
	elf_getshdrstrndx(elf, &names);
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr shdr;
		gelf_getshdr(scn, &shdr);
		const char *section = elf_strptr(elf, names, shdr.sh_name);
		if (shdr.sh_flags & SHF_ALLOC)
			printf("%zu %s at %lx\n", elf_ndxscn(scn), section, shdr.sh_addr);
		if (strncmp(section, ".debug", 6) == 0 && shdr.sh_type != SHT_NOBITS) {
			Elf_Data *contents = elf_getdata(scn, NULL);
			unsigned long hash = 0xcbf29ce484222325;
			for (size_t i = 0; i < contents->d_size; i++)
				hash = (hash ^ ((unsigned char *)contents->d_buf)[i]) * 0x100000001b3;
			printf("%zu %s %zx bytes %lx\n", elf_ndxscn(scn), section, contents->d_size, hash);
		}
	}
	return DWARF_CB_OK;
}

int main(int argc, char **argv)
{
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.find_elf = dwfl_build_id_find_elf,
	};
	for (int i = 1; i < argc; i++) {
		Dwfl *dwfl = dwfl_begin(&callbacks);
		printf("== %s\n", argv[i]);
		if (dwfl_report_offline(dwfl, argv[i], argv[i], open(argv[i], O_RDONLY)) == NULL)
			printf("error: %s\n", dwfl_errmsg(-1));
		dwfl_report_end(dwfl, NULL, NULL);
		dwfl_getmodules(dwfl, print, NULL, 0);
		dwfl_end(dwfl);
	}
	return 0;
}
