/* SPDX-License-Identifier: GPL-2.0-only */
/* Languages, names of tags, versions, messages. */
#include <errno.h>

#include "test.h"

static void parse(const char *names, bool exclude)
{
	struct cu *cu = cu__new("unit.c", 8, NULL, 0, "file", false);
	struct languages languages = { .str = strdup(names), .exclude = exclude };
	int result = languages__init(&languages, "test");

	printf("parse %s: %d, %d:", names, result, languages.nr_entries);
	for (int i = 0; i < languages.nr_entries; i++)
		printf(" %d", languages.entries[i]);
	printf("; in: %d %d\n", languages__in(&languages, 0x1d), languages__in(&languages, 0x8001));
	for (cu->language = 0x1c; cu->language <= 0x1d; cu->language++)
		printf("filtered: %d\n", languages__cu_filtered(&languages, cu, true));
	free(languages.entries);
	free(languages.str);
	cu__delete(cu);
}

static void test_messages(void)
{
	struct cus *cus = cus__new();
	char *argv[] = { "first", "second", NULL };

	dwarves_print_version(stdout, NULL);
	dwarves_print_numeric_version(stdout);
	dwarves_print_devel_version(stdout, NULL);
	errno = ENOENT;
	printf("%d\n", cus__fprintf_load_files_err(cus, "tool", argv, -2, stdout));
	errno = 0;
	printf("%d\n", cus__fprintf_load_files_err(cus, "tool", argv, -1, stdout));
	cus__print_error_msg("tool", cus, "file", -ENOMEM);
	cus__print_error_msg("tool", NULL, "file", -ENOMEM);
	cus__print_error_msg("tool", NULL, "file", -EINVAL);
	printf("%d\n", cus__fprintf_ptr_table_stats_csv_header(stdout));
	printf("%zu\n", __tag__id_not_found_fprintf(stdout, 17, "function", 12));
	cus__delete(cus);
}

void test_languages(void)
{
	char copy[64];

	for (int language = -1; language < 48; language++)
		printf("%s ", lang__int2str(language));
	printf("%s\n", lang__int2str(0x8001));
	printf("%d %d %d %d %d\n", lang__str2int("C11"), lang__str2int("asm"), lang__str2int("BLISS"), lang__str2int("c+"),
	       lang__str2int(""));
	unsetenv("PAHOLE_LANG_EXCLUDE");
	parse("rust,c11", false);
	parse("c11,asm,c99,c,c++,d,pli,upc", true);
	parse("c11,klingon,c99", false);
	{
		struct languages languages = { .str = NULL };

		printf("none: %d\n", languages__init(&languages, "test"));
		setenv("PAHOLE_LANG_EXCLUDE", "rust", 1);
		printf("environment: %d", languages__init(&languages, "test"));
		printf(" %d %d\n", languages.exclude, languages.nr_entries);
		free(languages.entries);
	}
	for (uint32_t tag = 0; tag < 0x4120; tag++) {
		const char *name = dwarf_tag_name(tag);

		if (tag < 0x60 || (name && strcmp(name, "INVALID") != 0))
			printf("%s ", or_null(name));
	}
	printf("%s %s\n", dwarf_tag_name(DW_TAG_LLVM_annotation), dwarf_tag_name(DW_TAG_GNU_annotation));
	snprintf(copy, sizeof(copy), "%s", vmlinux_path__btf_filename());
	printf("%s %d\n", copy, vmlinux_path__btf_filename() == vmlinux_path__btf_filename());
	test_messages();
}
