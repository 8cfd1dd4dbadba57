/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that the program holds open with its own libelf, which this one finds at run time, and the reader of CTF on top of them. */
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "test.h"

struct elf_functions;
struct elf_functions *elf_functions__new(Elf *elf);
extern bool ctf__verbose;

static void *address_of(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (found == NULL)
		abort();
	return found;
}

static void test_sections(Elf *elf)
{
	static const char *const names[] = { ".text", ".symtab", ".SUNW_ctf", ".BTF", ".nothing", "" };
	GElf_Shdr header;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t index = 99;
		Elf_Scn *section = elf_section_by_name(elf, &header, names[i], &index);

		printf("section %s: %d", names[i], section != NULL);
		if (section)
			printf(", number %zu, type %u, the same without %d", index, header.sh_type,
			       elf_section_by_name(elf, &header, names[i], NULL) == section);
		printf("\n");
	}
	for (int i = 0; i < 20; i++) {
		const char *name = NULL;
		Elf_Scn *section = elf_section_by_idx(elf, &header, i, &name);

		if (section == NULL)
			break;
		printf("number %d: %s, %d\n", i, name, elf_section_by_idx(elf, &header, i, NULL) == section);
	}
	printf("beyond: %p %p\n", (void *)elf_section_by_idx(elf, &header, 4000, NULL),
	       (void *)elf_section_by_idx(elf, &header, -1, NULL));
}

static void test_symbols(Elf *elf)
{
	struct elf_symtab *symtab = elf_symtab__new(NULL, elf);
	const GElf_Sym *symbols = symtab->syms->d_buf;

	printf("%s: %u symbols, extended %d\n", symtab->name, elf_symtab__nr_symbols(symtab), symtab->syms_sec_idx_table != NULL);
	for (uint32_t i = 0; i < elf_symtab__nr_symbols(symtab); i++) {
		const char *name = elf_sym__name(&symbols[i], symtab);

		if (name[0] && elf_sym__type(&symbols[i]) != STT_SECTION)
			printf("symbol %s: function ignored %d, object ignored %d\n", name,
			       ctf__ignore_symtab_function(&symbols[i], name), ctf__ignore_symtab_object(&symbols[i], name));
	}
	elf_symtab__delete(symtab);
	symtab = elf_symtab__new(".symtab", elf);
	printf("by name: %s, none %p\n", symtab->name, (void *)elf_symtab__new(".nothing", elf));
	elf_symtab__delete(symtab);
	elf_symtab__delete(NULL);
}

static void test_ctf_reader(const char *formats, const char *units, Elf *elf)
{
	struct ctf *ctf = ctf__new(formats, NULL);
	struct strings *strings = (struct strings *)&elf;

	printf("ctf: %d, verbose %d, opened %d\n", ctf->wordsize, ctf__verbose, ctf->in_fd >= 0);
	printf("load: %d", ctf__load(ctf));
	printf(" %zu bytes, at %d, swapped %d", ctf__get_size(ctf), ctf__get_buffer(ctf) == ctf->buf, ctf->swapped);
	printf(", symbols %d", ctf__load_symtab(ctf));
	printf(" %u\n", elf_symtab__nr_symbols(ctf->symtab));
	for (uint32_t reference = 0; reference < 12; reference++)
		printf("%u=%s ", reference, or_null(ctf__string(ctf, reference)));
	printf("far=%s other=%s\n", or_null(ctf__string(ctf, 100000)), or_null(ctf__string(ctf, 0x80000001)));
	ctf__set_strings(ctf, strings);
	printf("strings: %d\n", ctf->strings == strings);
	ctf__delete(ctf);

	ctf = ctf__new("a name only", elf);
	printf("own handle: %s %d %d", ctf->filename, ctf->elf == elf, ctf->in_fd);
	printf(" load %d\n", ctf__load(ctf));
	ctf__delete(ctf);
	ctf = ctf__new(units, NULL);
	printf("without: %d\n", ctf__load(ctf));
	ctf__delete(ctf);
	ctf__delete(NULL);
	printf("none: %p %p\n", (void *)ctf__new(NULL, NULL), (void *)ctf__new("/nonexistent/file", NULL));
}

void test_elf(const char *folder)
{
	void *libelf = dlopen("libelf.so.1", RTLD_NOW | RTLD_GLOBAL);
	unsigned int (*version)(unsigned int) = address_of(libelf, "elf_version");
	Elf *(*begin)(int, Elf_Cmd, Elf *) = address_of(libelf, "elf_begin");
	int (*end)(Elf *) = address_of(libelf, "elf_end");
	char formats[512], units[512];
	struct elf_functions *functions;
	Elf *elf;
	int fd;

	snprintf(formats, sizeof(formats), "%s/formats.o", folder);
	snprintf(units, sizeof(units), "%s/units.o", folder);
	version(EV_CURRENT);
	fd = open(formats, O_RDONLY);
	elf = begin(fd, ELF_C_READ, NULL);
	test_sections(elf);
	test_symbols(elf);
	test_ctf_reader(formats, units, elf);
	functions = elf_functions__new(elf);
	printf("functions: %d\n", functions != NULL);
	free(functions);
	end(elf);
	close(fd);
}
