/* SPDX-License-Identifier: GPL-2.0-only */
/* Making, finding, walking, copying and freeing tags. */
#include "test.h"

uint32_t add_base_type(struct cu *cu, const char *name, uint16_t bits)
{
	struct base_type *base = new_tag(cu, sizeof(*base), DW_TAG_base_type);
	uint32_t id = 0;

	base->name = name;
	base->bit_size = bits;
	base->name_has_encoding = 1;
	INIT_LIST_HEAD(&base->node);
	cu__add_tag(cu, &base->tag, &id);
	return id;
}

static struct type *add_type(struct cu *cu, size_t size, uint16_t kind, const char *name, uint32_t *id)
{
	struct type *type = new_tag(cu, size, kind);

	__type__init(type);
	INIT_LIST_HEAD(&type->variant_parts);
	INIT_LIST_HEAD(&type->namespace.tags);
	INIT_LIST_HEAD(&type->namespace.annots);
	type->namespace.name = name;
	cu__add_tag(cu, type__tag(type), id);
	return type;
}

struct class *add_struct(struct cu *cu, const char *name, uint32_t size, uint32_t *id)
{
	struct class *cls = type__class(add_type(cu, sizeof(*cls), DW_TAG_structure_type, name, id));

	INIT_LIST_HEAD(&cls->vtable);
	cls->type.size = size;
	return cls;
}

struct class_member *add_member(struct class *cls, struct cu *cu, const char *name, uint32_t type, uint32_t offset,
				size_t size)
{
	struct class_member *member = new_tag(cu, sizeof(*member), DW_TAG_member);

	member->name = name;
	member->tag.type = type;
	member->byte_offset = offset;
	member->bit_offset = offset * 8;
	member->byte_size = size;
	member->bit_size = size * 8;
	type__add_member(&cls->type, member);
	return member;
}

static uint32_t add_reference(struct cu *cu, uint16_t kind, uint32_t type)
{
	struct tag *tag = new_tag(cu, sizeof(*tag), kind);
	uint32_t id = 0;

	tag->type = type;
	cu__add_tag(cu, tag, &id);
	return id;
}

static uint32_t add_array(struct cu *cu, uint32_t type, uint8_t dimensions, uint32_t first, uint32_t second)
{
	struct array_type *array = new_tag(cu, sizeof(*array), DW_TAG_array_type);
	uint32_t id = 0;

	array->tag.type = type;
	array->dimensions = dimensions;
	array->nr_entries = cu__malloc(cu, 2 * sizeof(uint32_t));
	array->nr_entries[0] = first;
	array->nr_entries[1] = second;
	cu__add_tag(cu, &array->tag, &id);
	return id;
}

static uint32_t add_typedef(struct cu *cu, const char *name, uint32_t type)
{
	uint32_t id = 0;

	add_type(cu, sizeof(struct type), DW_TAG_typedef, name, &id)->namespace.tag.type = type;
	return id;
}

static void test_kinds(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	uint32_t type_int = add_base_type(cu, "int", 32), type_char = add_base_type(cu, "char", 8);
	uint32_t type_const = add_reference(cu, DW_TAG_const_type, type_int);
	uint32_t type_t = add_typedef(cu, "int_t", type_const), type_tt = add_typedef(cu, "int_tt", type_t);
	uint32_t pointer = add_reference(cu, DW_TAG_pointer_type, type_tt), structure, decl, enumeration, id = 0;
	uint32_t array = add_array(cu, type_tt, 2, 3, 5), array_t = add_typedef(cu, "array_t", array);
	uint32_t plain = add_typedef(cu, "plain", type_int);
	struct type *type;
	struct tag *tag;

	add_struct(cu, "object", 0, &decl)->type.declaration = 1;
	add_struct(cu, "object", 24, &structure);
	type = add_type(cu, sizeof(*type), DW_TAG_enumeration_type, "colour", &enumeration);
	type->size = 32;

	for (id = 1; id < cu->types_table.nr_entries; id++) {
		tag = cu__type(cu, id);
		printf("%u %s: size %zu, base %d, array %d", id, dwarf_tag_name(tag->tag), tag__size(tag, cu),
		       tag__is_base_type(tag, cu), tag__is_array(tag, cu));
		printf(", alignment %zu", tag__natural_alignment(tag, cu));
		tag = tag__follow_typedef(tag, cu);
		printf(", follow %d", tag ? (int)tag->tag : -1);
		tag = tag__strip_typedefs_and_modifiers(cu__type(cu, id), cu);
		printf(", strip %d\n", tag ? (int)tag->tag : -1);
	}
	id = 0;
	printf("typedef of: %d %p\n", cu__find_first_typedef_of_type(cu, type_const) == cu__type(cu, type_t),
	       (void *)cu__find_first_typedef_of_type(cu, pointer));
	printf("base: %d", cu__find_base_type_by_name(cu, "char", &id) == cu__type(cu, type_char));
	printf(" %u %p", id, (void *)cu__find_base_type_by_name(cu, "long", NULL));
	printf(" %d\n", cu__find_base_type_by_name_and_size(cu, "int", 32, &id) == cu__type(cu, type_int));
	printf("struct: %d", cu__find_struct_by_name(cu, "object", 0, &id) == cu__type(cu, structure));
	printf(" %u %d %p\n", id, cu__find_struct_by_name(cu, "object", 1, NULL) == cu__type(cu, decl),
	       (void *)cu__find_struct_by_name(cu, "colour", 1, NULL));
	printf("type: %d", cu__find_type_by_name(cu, "array_t", 0, &id) == cu__type(cu, array_t));
	printf(" %u %p\n", id, (void *)cu__find_type_by_name(cu, "int", 0, NULL));
	printf("enumeration: %d %d %p\n", cu__find_enumeration_by_name(cu, "colour", NULL) == type__tag(type),
	       cu__find_enumeration_by_name_and_size(cu, "colour", 32, &id) == type__tag(type),
	       (void *)cu__find_enumeration_by_name_and_size(cu, "colour", 8, NULL));
	printf("plain: %d\n", tag__is_base_type(cu__type(cu, plain), cu));
	{
		struct cus *cus = cus__new();
		struct cu *found = NULL;

		cus__add(cus, cu);
		printf("in set: %d", cus__find_struct_by_name(cus, &found, "object", 0, &id) == cu__type(cu, structure));
		printf(" %d %u %p\n", found == cu, id, (void *)cus__find_struct_by_name(cus, NULL, "other", 0, NULL));
		cus__delete(cus);
	}
}

static void test_names(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct base_type *base = tag__base_type(cu__type(cu, add_base_type(cu, "counter", 16)));
	const char *names[] = { "int", "long unsigned int", "signed char", "signed short", "_Bool", "long double", "odd" };
	struct variable variable = { .name = "v" };
	char bf[32];

	printf("name: %s %s\n", base_type__name(base, bf, sizeof(bf)), __base_type__name(base));
	base->name_has_encoding = 0;
	printf("composed: %s", base_type__name(base, bf, sizeof(bf)));
	base->is_bool = base->is_varargs = 1;
	printf(" | %s", base_type__name(base, bf, sizeof(bf)));
	base->float_type = BT_FP_CMPLX_DBL;
	printf(" | %s", base_type__name(base, bf, sizeof(bf)));
	printf(" | %s\n", base_type__name(base, bf, 8));
	base->name_has_encoding = 1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		base->name = names[i];
		printf("%s: %zu bits\n", names[i], base_type__name_to_size(base, cu));
	}
	for (int scope = 0; scope < 6; scope++) {
		variable.scope = (enum vscope)scope;
		printf("%s %s %d, ", variable__name(&variable), variable__scope_str(&variable), variable__scope(&variable));
	}
	printf("\n");
	cu__delete(cu);
}

static int show_tag(struct tag *tag, struct cu *cu, void *cookie)
{
	int *left = cookie;

	printf(" %s%u", dwarf_tag_name(tag->tag), tag->type);
	return --*left == 0 || cu == NULL;
}

static struct parameter *add_parameter(struct ftype *ftype, struct cu *cu, uint32_t type)
{
	struct parameter *parameter = new_tag(cu, sizeof(*parameter), DW_TAG_formal_parameter);

	parameter->tag.type = type;
	ftype__add_parameter(ftype, parameter);
	return parameter;
}

static struct function *add_function(struct cu *cu, uint32_t *id)
{
	struct function *function = new_tag(cu, sizeof(*function), DW_TAG_subprogram);

	INIT_LIST_HEAD(&function->proto.parms);
	INIT_LIST_HEAD(&function->lexblock.tags);
	INIT_LIST_HEAD(&function->vtable_node);
	function->name = "function";
	cu__add_tag(cu, function__tag(function), id);
	return function;
}

static void add_expansion(struct lexblock *block, struct cu *cu, uint32_t function, size_t size)
{
	struct inline_expansion *expansion = new_tag(cu, sizeof(*expansion), DW_TAG_inlined_subroutine);

	expansion->ip.tag.type = function;
	expansion->size = size;
	lexblock__add_inline_expansion(block, expansion);
}

/* A unit does not free the tags that were allocated one by one. */
static void delete_tags(struct cu *cu)
{
	struct tag *tag, *n;

	list_for_each_entry_safe(tag, n, &cu->tags, node) {
		list_del_init(&tag->node);
		tag__delete(tag, cu);
	}
}

static void test_walks(bool use_obstack)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", use_obstack);
	uint32_t id, type_int = add_base_type(cu, "int", 32), pointer = add_reference(cu, DW_TAG_pointer_type, type_int);
	struct class *cls = add_struct(cu, "object", 8, &id);
	struct lexblock *block = new_tag(cu, sizeof(*block), DW_TAG_lexical_block);
	struct ftype *ftype = new_tag(cu, sizeof(*ftype), DW_TAG_subroutine_type);
	struct label *label = new_tag(cu, sizeof(*label), DW_TAG_label);
	struct variable *variable = new_tag(cu, sizeof(*variable), DW_TAG_variable);
	struct function *caller = add_function(cu, &id), *callee = add_function(cu, &id);
	int left = -1;

	add_member(cls, cu, "a", type_int, 0, 4);
	add_member(cls, cu, "b", pointer, 8, 8);
	INIT_LIST_HEAD(&ftype->parms);
	add_parameter(ftype, cu, pointer);
	cu__add_tag(cu, &ftype->tag, &id);
	add_parameter(&caller->proto, cu, type_int);
	add_parameter(&caller->proto, cu, pointer);
	INIT_LIST_HEAD(&block->tags);
	lexblock__add_lexblock(&caller->lexblock, block);
	lexblock__add_label(&caller->lexblock, label);
	lexblock__add_variable(block, variable);
	add_expansion(&caller->lexblock, cu, 1, 40);
	add_expansion(block, cu, 1, 30);
	add_expansion(block, cu, 77, 20);
	printf("parameters: %d %d\n", ftype__has_parm_of_type(&caller->proto, type_int, cu),
	       ftype__has_parm_of_type(&caller->proto, pointer, cu));
	printf("block: %d %d %d %d %u\n", caller->lexblock.nr_lexblocks, caller->lexblock.nr_labels, block->nr_variables,
	       block->nr_inline_expansions, block->size_inline_expansions);
	cu__account_inline_expansions(cu);
	printf("expansions: %lu %zu, %u of %u\n", cu->nr_inline_expansions, cu->size_inline_expansions,
	       callee->cu_total_nr_inline_expansions, callee->cu_total_size_inline_expansions);
	printf("walk:");
	printf(" = %d\n", cu__for_all_tags(cu, show_tag, &left));
	left = 4;
	printf("part:");
	printf(" = %d\n", cu__for_all_tags(cu, show_tag, &left));
	delete_tags(cu);
	cu__delete(cu);
}

static void test_clone(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", false);
	uint32_t id, type_int = add_base_type(cu, "int", 32);
	struct class *cls = add_struct(cu, "object", 16, &id), *copy;
	struct class_member *pos;

	add_member(cls, cu, "a", type_int, 0, 4);
	pos = add_member(cls, cu, "dropped", type_int, 0, 4);
	list_del_init(&pos->tag.node);
	class_member__delete(pos, cu);
	cls->type.nr_members--;
	pos = add_member(cls, cu, "b", type_int, 8, 4);
	printf("members: %d, last %d, named %d %p, of type %u\n", cls->type.nr_members, type__last_member(&cls->type) == pos,
	       type__find_member_by_name(&cls->type, "b") == pos, (void *)type__find_member_by_name(&cls->type, "c"),
	       type__nr_members_of_type(&cls->type, type_int));
	class__find_holes(cls);
	copy = class__clone(cls, "copy", cu);
	printf("clone: %s %d %d %d %d %d\n", class__name(copy), class__nr_members(copy), list_empty(&copy->vtable),
	       list_empty(&copy->type.variant_parts), list_empty(&copy->type.template_type_params), copy->nr_holes);
	type__for_each_data_member(&copy->type, pos)
		printf("%s at %u, hole %d\n", class_member__name(pos), pos->byte_offset, pos->hole);
	pos = type__last_member(&copy->type);
	list_del_init(&pos->tag.node);
	class_member__delete(pos, cu);
	free((void *)copy->type.namespace.name);
	class__delete(copy, cu);
	copy = class__clone(cls, NULL, cu);
	printf("shares its name: %d\n", class__name(copy) == class__name(cls));
	class__delete(copy, cu);
	delete_tags(cu);
	cu__delete(cu);
}

static void test_prefixes(void)
{
	static const char *names[][3] = { { "RED_ONE", "RED_TWO", "RED_THREE" }, { "A", "B", "C" }, { "LONE" } };
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct tag_cu_node nodes[3];
	LIST_HEAD(list);
	uint32_t id;

	for (int i = 0; i < 3; i++) {
		struct type *type = add_type(cu, sizeof(*type), DW_TAG_enumeration_type, "e", &id);

		for (int j = 0; j < 3 && names[i][j]; j++) {
			struct enumerator *enumerator = new_tag(cu, sizeof(*enumerator), DW_TAG_enumerator);

			enumerator->name = names[i][j];
			enumeration__add(type, enumerator);
		}
		nodes[i].tc.tag = type__tag(type);
		nodes[i].tc.cu = cu;
		list_add_tail(&nodes[i].node, &list);
	}
	enumerations__calc_prefix(&list);
	for (int i = 0; i < 3; i++) {
		struct type *type = tag__type(nodes[i].tc.tag);

		printf("prefix: %d enumerators, %d, \"%s\"\n", type->nr_members, type->member_prefix_len,
		       or_null(type->member_prefix));
		free(type->member_prefix);
		enumeration__delete(type, cu);
	}
	cu__delete(cu);
}

void test_tags(void)
{
	test_kinds();
	test_names();
	test_walks(false);
	test_walks(true);
	test_clone();
	test_prefixes();
}
