/* SPDX-License-Identifier: GPL-2.0-only */
/* libdwarves_emit.so.1 and libdwarves_reorganize.so.1. */
#include "test.h"

struct type *type_emissions__find_shadow_definition(const struct type_emissions *emissions, uint16_t tag, const char *name);

static int emit_unit(struct cu *cu, void *cookie)
{
	struct type_emissions *emissions = cookie;
	struct function *function;
	struct tag *tag;
	uint32_t id;

	cu__for_each_type(cu, id, tag) {
		if (!tag__is_struct(tag) && !tag__is_union(tag) && !tag__is_enumeration(tag))
			continue;
		printf("emit %u:\n", id);
		printf("= %d\n", type__emit_definitions(tag, cu, emissions, stdout));
		printf("= %d\n", type__emit_definitions(tag, cu, emissions, stdout));
		type__emit(tag, cu, NULL, NULL, stdout);
		type__emit(tag, cu, "static", "thing", stdout);
	}
	cu__for_each_function(cu, id, function) {
		printf("emit for %s:\n", function__name(function));
		printf("= %d\n", ftype__emit_definitions(&function->proto, cu, emissions, stdout));
	}
	return 0;
}

static const char *found(const struct type *type)
{
	return type ? or_null(type__name(type)) : "none";
}

static void show(const char *what, struct class *cls)
{
	struct class_member *pos;

	printf("%s: size %u, %d holes, %d bit holes, padding %d:", what, class__size(cls), cls->nr_holes, cls->nr_bit_holes,
	       cls->padding);
	type__for_each_data_member(&cls->type, pos)
		printf(" %s@%u+%zu", or_null(class_member__name(pos)), pos->byte_offset, pos->byte_size);
	printf("\n");
}

/* The C library makes these larger than they were, which ours does not. */
static bool grows(const char *name)
{
	return name == NULL || strcmp(name, "packed") == 0;
}

static int reorganize_unit(struct cu *cu, void *cookie)
{
	struct tag *tag;
	uint32_t id;

	cu__for_each_type(cu, id, tag) {
		struct class *copy;

		if (!tag__is_struct(tag) || tag__class(tag)->type.nr_members < 2 || grows(class__name(tag__class(tag))))
			continue;
		class__find_holes(tag__class(tag));
		copy = class__clone(tag__class(tag), "copy", cu);
		class__reorganize(copy, cu, cookie == NULL, stdout);
		show("reorganized", copy);
		class__add_offsets_from(copy, type__first_member(&copy->type), 8);
		show("raised", copy);
		class__subtract_offsets_from(copy, type__first_member(&copy->type), 4);
		show("lowered", copy);
		class__fixup_alignment(copy, cu);
		show("aligned", copy);
		class__reorganize(copy, cu, 0, NULL);
		show("again", copy);
		free((void *)copy->type.namespace.name);
	}
	return 0;
}

void test_companions(const char *folder)
{
	static const char *const names[] = { "outer", "plain", "colour", "either", "nothing" };
	struct conf_fprintf conf = { .suppress_comments = 1 };
	struct conf_load load = { .use_obstack = true };
	struct type_emissions emissions;
	struct cus *cus = cus__new();
	char path[512];

	dwarves__resolve_cacheline_size(NULL, 64);
	snprintf(path, sizeof(path), "%s/units.o", folder);
	cus__load_file(cus, &load, path);
	type_emissions__init(&emissions, &conf);
	printf("none: %p\n", (void *)type_emissions__find_definition(&emissions, DW_TAG_structure_type, "plain"));
	cus__for_each_cu(cus, emit_unit, &emissions, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		printf("%s: %s %s, shadow %s %s\n", names[i],
		       found(type_emissions__find_definition(&emissions, DW_TAG_structure_type, names[i])),
		       found(type_emissions__find_definition(&emissions, DW_TAG_enumeration_type, names[i])),
		       found(type_emissions__find_shadow_definition(&emissions, DW_TAG_structure_type, names[i])),
		       found(type_emissions__find_shadow_definition(&emissions, DW_TAG_union_type, names[i])));
	printf("no name: %p\n", (void *)type_emissions__find_definition(&emissions, DW_TAG_structure_type, NULL));
	cus__for_each_cu(cus, reorganize_unit, NULL, NULL);
	cus__for_each_cu(cus, reorganize_unit, cus, NULL);
	cus__delete(cus);
}
