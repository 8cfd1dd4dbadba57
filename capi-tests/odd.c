/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the C library does not survive, asked of ours only: NULL where C looks before it checks, and types of a bit-field's width
 * (the C library does not end on units with bit-fields when no_bitfield_type_recode is cleared, and takes every member for one of
 * its DWARF loader's).
 */
#include <stdlib.h>
#include "headers.h"

#define CHECK(what)                                                              \
	do {                                                                     \
		if (!(what)) {                                                   \
			printf("odd: line %d: %s\n", __LINE__, #what);           \
			exit(1);                                                 \
		}                                                                \
	} while (0)

struct elf_functions;
struct elf_functions *elf_functions__new(Elf *elf);
bool variable_in_sec(struct btf_encoder *encoder, const char *name, size_t shndx);
int class_member__dwarf_recode_bitfield(struct class_member *member, struct cu *cu);
int ctf__load_file(struct cus *cus, struct conf_load *conf, const char *filename);

void test_odd(const char *units);

static uint32_t add(struct cu *cu, struct tag *tag, uint16_t kind, uint32_t type)
{
	uint32_t id = 0;

	INIT_LIST_HEAD(&tag->node);
	tag->tag = kind;
	tag->type = type;
	cu__add_tag(cu, tag, &id);
	return id;
}

static struct type *new_type(struct cu *cu, const char *name)
{
	struct type *type = cu__tag_alloc(cu, sizeof(*type));

	__type__init(type);
	INIT_LIST_HEAD(&type->namespace.tags);
	INIT_LIST_HEAD(&type->namespace.annots);
	type->namespace.name = name;
	return type;
}

static void test_recoding(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct base_type *base = cu__tag_alloc(cu, sizeof(*base));
	struct type *enumeration = new_type(cu, "colour"), *alias = new_type(cu, "u32");
	struct class_member member = { .name = "bits", .bitfield_size = 3 };
	uint32_t ids[4];
	struct tag *made;

	base->name = "unsigned int";
	base->bit_size = 32;
	base->name_has_encoding = 1;
	INIT_LIST_HEAD(&base->node);
	ids[0] = add(cu, &base->tag, DW_TAG_base_type, 0);
	enumeration->size = 32;
	ids[1] = add(cu, type__tag(enumeration), DW_TAG_enumeration_type, 0);
	ids[2] = add(cu, type__tag(alias), DW_TAG_typedef, ids[0]);
	ids[3] = add(cu, cu__tag_alloc(cu, sizeof(struct tag)), DW_TAG_const_type, ids[2]);
	for (int i = 0; i < 4; i++) {
		uint32_t count = cu->types_table.nr_entries;

		member.tag.type = ids[i];
		CHECK(class_member__dwarf_recode_bitfield(&member, cu) == 0);
		made = cu__type(cu, member.tag.type);
		CHECK(made != NULL && member.tag.type != ids[i]);
		CHECK(i == 3 || cu->types_table.nr_entries > count);
		while (tag__is_modifier(made) || tag__is_typedef(made))
			made = cu__type(cu, made->type);
		CHECK(i == 1 ? tag__type(made)->size == 3 : tag__base_type(made)->bit_size == 3);
	}
	member.tag.type = 0;
	CHECK(class_member__dwarf_recode_bitfield(&member, cu) < 0);
	CHECK(class_member__dwarf_recode_bitfield(NULL, NULL) < 0);
	cu__delete(cu);
}

static void test_loading_recoded(const char *units)
{
	struct conf_load conf = { .use_obstack = true };
	struct cus *cus = cus__new();
	struct class_member *pos;
	struct cu *cu = NULL;
	struct tag *tag;
	int seen = 0;

	no_bitfield_type_recode = false;
	CHECK(cus__load_file(cus, &conf, units) == 0);
	tag = cus__find_struct_by_name(cus, &cu, "bits", 0, NULL);
	CHECK(tag != NULL);
	type__for_each_data_member(tag__type(tag), pos) {
		struct tag *type = cu__type(cu, pos->tag.type);

		while (tag__is_modifier(type) || tag__is_typedef(type))
			type = cu__type(cu, type->type);
		CHECK((tag__is_enumeration(type) ? tag__type(type)->size : tag__base_type(type)->bit_size) == pos->bitfield_size);
		seen++;
	}
	CHECK(seen == 7);
	no_bitfield_type_recode = true;
	cus__delete(cus);
	cus = cus__new();
	CHECK(cus__load_file(cus, NULL, units) == 0 && cus__nr_entries(cus) == 2);
	cus__delete(cus);
}

static void test_nothing(void)
{
	struct cus *cus = cus__new();
	char bf[16];

	CHECK(cus__load_file(cus, NULL, NULL) < 0);
	CHECK(cus__load_files(cus, NULL, NULL) < 0);
	CHECK(cus__load_dir(cus, NULL, NULL, NULL, 0) < 0);
	CHECK(ctf__load_file(cus, NULL, NULL) < 0);
	CHECK(cus__find_struct_by_name(NULL, NULL, "name", 0, NULL) == NULL);
	CHECK(cus__find_function_at_addr(NULL, 0, NULL) == NULL);
	CHECK(cus__find_pair(NULL, NULL) == NULL);
	CHECK(cu__find_struct_by_name(NULL, "name", 0, NULL) == NULL);
	CHECK(cu__find_struct_by_name(NULL, NULL, 0, NULL) == NULL);
	CHECK(cu__find_function_by_name(NULL, "name") == NULL);
	CHECK(cu__find_function_at_addr(NULL, 0) == NULL);
	CHECK(cu__type(NULL, 1) == NULL && cu__tag(NULL, 1) == NULL && cu__function(NULL, 1) == NULL);
	CHECK(cu__zalloc(NULL, 8) == NULL || true);
	CHECK(tag__size(NULL, NULL) == 0);
	CHECK(tag__fprintf(NULL, NULL, NULL, NULL) == 0);
	CHECK(class__fprintf(NULL, NULL, NULL) == 0);
	CHECK(function__prototype(NULL, NULL, bf, sizeof(bf)) == NULL);
	CHECK(function__name(NULL) == NULL && variable__name(NULL) == NULL);
	CHECK(variable__type_name(NULL, NULL, bf, sizeof(bf)) == NULL);
	CHECK(class__clone(NULL, NULL, NULL) == NULL);
	CHECK(strlist__has_entry(NULL, NULL) == false);
	CHECK(elf_section_by_name(NULL, NULL, NULL, NULL) == NULL);
	CHECK(elf_symtab__new(NULL, NULL) == NULL);
	CHECK(elf_functions__new(NULL) == NULL);
	CHECK(variable_in_sec(NULL, NULL, 0) == false);
	CHECK(btf_encoder__new(NULL, NULL, NULL, false, NULL) == NULL);
	CHECK(btf_encoder__encode_cu(NULL, NULL, NULL) == -1);
	CHECK(btf_encoder__encode(NULL, NULL) == -1);
	class__find_holes(NULL);
	enumerations__calc_prefix(NULL);
	namespace__delete(NULL, NULL);
	cus__delete(cus);
}

void test_odd(const char *units)
{
	test_recoding();
	test_loading_recoded(units);
	test_nothing();
}
