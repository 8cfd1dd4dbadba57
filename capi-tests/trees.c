/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of every kind of tag, made and deleted by hand, with their memory one by one and in the unit's. */
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

struct str_node *str_node__new(const char *s, bool dupstr);

static unsigned int length(const struct list_head *head)
{
	unsigned int count = 0;

	for (const struct list_head *at = head->next; at != head; at = at->next)
		count++;
	return count;
}

static struct template_type_param *new_type_param(struct cu *cu, const char *name)
{
	struct template_type_param *param = new_tag(cu, sizeof(*param), DW_TAG_template_type_parameter);

	param->name = name;
	return param;
}

static struct template_value_param *new_value_param(struct cu *cu, uint64_t value)
{
	struct template_value_param *param = new_tag(cu, sizeof(*param), DW_TAG_template_value_parameter);

	param->const_value = value;
	return param;
}

static struct template_parameter_pack *new_pack(struct cu *cu)
{
	struct template_parameter_pack *pack = new_tag(cu, sizeof(*pack), DW_TAG_GNU_template_parameter_pack);

	INIT_LIST_HEAD(&pack->params);
	template_parameter_pack__add(pack, new_type_param(cu, "T1"));
	template_parameter_pack__add(pack, new_type_param(cu, "T2"));
	return pack;
}

static struct formal_parameter_pack *new_formal_pack(struct cu *cu)
{
	struct formal_parameter_pack *pack = new_tag(cu, sizeof(*pack), DW_TAG_GNU_formal_parameter_pack);

	INIT_LIST_HEAD(&pack->params);
	for (int i = 0; i < 3; i++)
		formal_parameter_pack__add(pack, new_tag(cu, sizeof(struct parameter), DW_TAG_formal_parameter));
	return pack;
}

static void init_ftype(struct ftype *ftype)
{
	INIT_LIST_HEAD(&ftype->parms);
	INIT_LIST_HEAD(&ftype->template_type_params);
	INIT_LIST_HEAD(&ftype->template_value_params);
}

static struct lexblock *new_block(struct cu *cu)
{
	struct lexblock *block = new_tag(cu, sizeof(*block), DW_TAG_lexical_block);

	INIT_LIST_HEAD(&block->tags);
	return block;
}

static struct function *new_function(struct cu *cu, const char *name)
{
	struct function *function = new_tag(cu, sizeof(*function), DW_TAG_subprogram);

	init_ftype(&function->proto);
	INIT_LIST_HEAD(&function->lexblock.tags);
	INIT_LIST_HEAD(&function->lexblock.ip.tag.node);
	INIT_LIST_HEAD(&function->vtable_node);
	INIT_LIST_HEAD(&function->annots);
	function->name = name;
	return function;
}

static struct namespace *new_namespace(struct cu *cu, const char *name)
{
	struct namespace *space = new_tag(cu, sizeof(*space), DW_TAG_namespace);

	INIT_LIST_HEAD(&space->tags);
	INIT_LIST_HEAD(&space->annots);
	space->name = name;
	return space;
}

static struct type *new_type(struct cu *cu, size_t size, uint16_t kind)
{
	struct type *type = new_tag(cu, size, kind);

	__type__init(type);
	INIT_LIST_HEAD(&type->namespace.tags);
	INIT_LIST_HEAD(&type->namespace.annots);
	return type;
}

static struct class_member *new_member(struct cu *cu, const char *name)
{
	struct class_member *member = new_tag(cu, sizeof(*member), DW_TAG_member);

	member->name = name;
	return member;
}

static struct variant_part *new_variant_part(struct cu *cu)
{
	struct variant_part *part = new_tag(cu, sizeof(*part), DW_TAG_variant_part);

	INIT_LIST_HEAD(&part->variants);
	return part;
}

static void test_functions(struct cu *cu)
{
	struct function *function = new_function(cu, "function");
	struct ftype *ftype = new_tag(cu, sizeof(*ftype), DW_TAG_subroutine_type);
	struct lexblock *block = new_block(cu), *inner = new_block(cu);
	struct template_value_param *value = new_value_param(cu, 7);
	struct template_type_param *type = new_type_param(cu, "T");

	lexblock__add_lexblock(&function->lexblock, block);
	lexblock__add_lexblock(block, inner);
	lexblock__add_tag(inner, new_tag(cu, sizeof(struct tag), DW_TAG_imported_module));
	lexblock__add_variable(inner, new_tag(cu, sizeof(struct variable), DW_TAG_variable));
	lexblock__add_label(block, new_tag(cu, sizeof(struct label), DW_TAG_label));
	ftype__add_parameter(&function->proto, new_tag(cu, sizeof(struct parameter), DW_TAG_formal_parameter));
	ftype__add_template_type_param(&function->proto, type);
	ftype__add_template_value_param(&function->proto, value);
	function->proto.template_parameter_pack = new_pack(cu);
	printf("function: %s, %u types, %u values, %u in the pack, %u blocks, %u inside\n", function__name(function),
	       length(&function->proto.template_type_params), length(&function->proto.template_value_params),
	       length(&function->proto.template_parameter_pack->params), function->lexblock.nr_lexblocks, length(&inner->tags));
	list_del_init(&type->tag.node);
	list_del_init(&value->tag.node);
	tag__delete(&type->tag, cu);
	tag__delete(&value->tag, cu);
	function__delete(function, cu);
	function__delete(NULL, cu);

	init_ftype(ftype);
	for (int i = 0; i < 4; i++)
		ftype__add_parameter(ftype, new_tag(cu, sizeof(struct parameter), DW_TAG_formal_parameter));
	ftype->template_parameter_pack = new_pack(cu);
	printf("ftype: %u %u\n", ftype->nr_parms, length(&ftype->parms));
	ftype__delete(ftype, cu);
	ftype__delete(NULL, cu);

	block = new_block(cu);
	lexblock__add_tag(block, function__tag(new_function(cu, "nested")));
	lexblock__add_lexblock(block, new_block(cu));
	lexblock__delete(block, cu);
	lexblock__delete(NULL, cu);
}

static void test_types(struct cu *cu)
{
	struct type *type = new_type(cu, sizeof(*type), DW_TAG_union_type);
	struct class *cls = tag__class(type__tag(new_type(cu, sizeof(struct class), DW_TAG_structure_type)));
	struct template_value_param *value = new_value_param(cu, 9);
	struct template_type_param *param = new_type_param(cu, "T");
	struct function *first = new_function(cu, "first"), *second = new_function(cu, "second");

	type__add_member(type, new_member(cu, "a"));
	type__add_member(type, new_member(cu, "b"));
	type__add_variant_part(type, new_variant_part(cu));
	type__add_template_type_param(type, param);
	type__add_template_value_param(type, value);
	type->template_parameter_pack = new_pack(cu);
	type->suffix_disambiguation = 1;
	type->namespace.name = strdup("name__1");
	printf("type: %u members, %u types, %u values, %u variants\n", type->nr_members, length(&type->template_type_params),
	       length(&type->template_value_params), length(&type->variant_parts));
	list_del_init(&param->tag.node);
	list_del_init(&value->tag.node);
	tag__delete(&param->tag, cu);
	tag__delete(&value->tag, cu);
	type__delete(type, cu);
	type__delete(NULL, cu);

	INIT_LIST_HEAD(&cls->vtable);
	cls->type.namespace.name = "virtual";
	class__add_vtable_entry(cls, first);
	class__add_vtable_entry(cls, second);
	type__add_variant_part(&cls->type, new_variant_part(cu));
	type__add_member(&cls->type, new_member(cu, "a"));
	printf("class: %u virtual, last %d\n", cls->nr_vtable_entries, cls->vtable.prev == &second->vtable_node);
	list_del_init(&first->vtable_node);
	list_del_init(&second->vtable_node);
	function__delete(first, cu);
	function__delete(second, cu);
	class__delete(cls, cu);
	class__delete(NULL, cu);
	enumeration__delete(NULL, cu);
}

static void test_spaces(struct cu *cu)
{
	struct namespace *space = new_namespace(cu, "outer"), *empty = new_namespace(cu, "empty");
	struct type *type = new_type(cu, sizeof(*type), DW_TAG_enumeration_type);
	struct enumerator *enumerator = new_tag(cu, sizeof(*enumerator), DW_TAG_enumerator);

	enumerator->name = "ONE";
	enumeration__add(type, enumerator);
	namespace__add_tag(space, function__tag(new_function(cu, "inside")));
	namespace__add_tag(space, new_tag(cu, sizeof(struct variable), DW_TAG_variable));
	printf("namespace: %u tags, first %s\n", length(&space->tags),
	       dwarf_tag_name(list_first_entry(&space->tags, struct tag, node)->tag));
	namespace__delete(space, cu);
	namespace__delete(empty, cu);
	namespace__delete(NULL, cu);
	enumeration__delete(type, cu);
	template_parameter_pack__delete(new_pack(cu), cu);
	template_parameter_pack__delete(NULL, cu);
	formal_parameter_pack__delete(new_formal_pack(cu), cu);
	formal_parameter_pack__delete(NULL, cu);
}

static void test_any(struct cu *cu)
{
	struct tag *tag = new_tag(cu, sizeof(*tag), DW_TAG_pointer_type);
	struct ftype *ftype = new_tag(cu, sizeof(*ftype), DW_TAG_subroutine_type);
	struct class *cls = tag__class(type__tag(new_type(cu, sizeof(struct class), DW_TAG_class_type)));

	tag->attributes = malloc(sizeof(*tag->attributes) + sizeof(char *));
	tag__delete(tag, cu);
	init_ftype(ftype);
	tag__delete(&ftype->tag, cu);
	INIT_LIST_HEAD(&cls->vtable);
	type__add_member(&cls->type, new_member(cu, "a"));
	tag__delete(class__tag(cls), cu);
	tag__delete(type__tag(new_type(cu, sizeof(struct type), DW_TAG_union_type)), cu);
	tag__delete(type__tag(new_type(cu, sizeof(struct type), DW_TAG_enumeration_type)), cu);
	tag__delete(function__tag(new_function(cu, "function")), cu);
	tag__delete(&new_block(cu)->ip.tag, cu);
	tag__delete(&new_pack(cu)->tag, cu);
	tag__delete(&new_formal_pack(cu)->tag, cu);
	tag__delete(NULL, cu);
	tag = cu__tag_alloc(cu, sizeof(*tag));
	printf("fresh: %p %u %u\n", (void *)tag->attributes, tag->type, tag->tag);
	cu__tag_free(cu, tag);
}

static void test_tables(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct tag *pointer = new_tag(cu, sizeof(*pointer), DW_TAG_pointer_type), *constant = new_tag(cu, sizeof(*constant), DW_TAG_const_type);
	struct function *function = new_function(cu, "function");
	struct tag *variable = new_tag(cu, sizeof(struct variable), DW_TAG_variable);
	uint32_t id = 0;

	printf("table: %d", cu__table_add_tag(cu, pointer, &id));
	printf(" %u", id);
	printf(" %d", cu__table_add_tag(cu, function__tag(function), &id));
	printf(" %u", id);
	printf(" %d", cu__table_add_tag(cu, variable, &id));
	printf(" %u", id);
	printf(" %d", cu__table_add_tag_with_id(cu, constant, 40));
	printf(" %d %d %d, linked %d, %u\n", cu__type(cu, 40) == constant, cu__function(cu, 0) == function__tag(function),
	       cu__tag(cu, 0) == variable, !list_empty(&cu->tags), cu->types_table.nr_entries);
	cu__delete(cu);
}

static void test_sets(void)
{
	struct cus *cus = cus__new();
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true), *found = cu;

	cus__add(cus, cu);
	printf("set: %p", (void *)cus__find_function_at_addr(cus, 0x1000, &found));
	printf(" %d", found == cu);
	cus__lock(cus);
	__cus__remove(cus, cu);
	cus__unlock(cus);
	printf(" %d %d\n", cus__empty(cus), list_empty(&cu->node));
	cu__delete(cu);
	cus__delete(cus);
}

static void test_alignments(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	uint32_t type_long = add_base_type(cu, "long int", 64), inner_id, fine_id, id;
	struct class *inner = add_struct(cu, "inner", 8, &inner_id), *fine = add_struct(cu, "fine", 8, &fine_id);
	struct class *outer = add_struct(cu, "outer", 24, &id);

	add_member(inner, cu, "value", type_long, 0, 8);
	add_member(fine, cu, "value", type_long, 0, 8);
	add_member(outer, cu, "first", inner_id, 4, 8);
	add_member(outer, cu, "second", fine_id, 16, 8);
	type__check_structs_at_unnatural_alignments(&outer->type, cu);
	printf("unnatural: %d %d, %d %d\n", inner->is_packed, inner->type.packed_attributes_inferred, fine->is_packed,
	       outer->is_packed);
	cu__delete(cu);
}

static void test_rest(void)
{
	struct languages languages = { .str = strdup("c++,rust,c") };
	char name[] = "node", *pointer = malloc(4);
	struct str_node *copied = str_node__new(name, true), *shared = str_node__new(name, false);
	int status = 0;
	pid_t child;

	printf("nodes: %d %d %s\n", copied->s != name, shared->s == name, copied->s);
	free((void *)copied->s);
	free(copied);
	free(shared);
	printf("languages: %d", languages__parse(&languages, "test"));
	printf(" %d %d\n", languages.nr_entries, languages__in(&languages, DW_LANG_C_plus_plus));
	free(languages.entries);
	free(languages.str);
	__zfree((void **)&pointer);
	printf("freed: %p\n", (void *)pointer);
	setenv("HOME", "/nonexistent", 1);
	pointer = (char *)vmlinux_path__find_running_kernel();
	printf("kernel: %d\n", pointer == NULL || pointer[0] != '\0');
	free(pointer);
	fflush(stdout);
	child = fork();
	if (child == 0)
		tag__not_found_die("file.c", 12, "function", DW_TAG_structure_type, "missing");
	waitpid(child, &status, 0);
	printf("died: %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
}

void test_trees(void)
{
	for (int use_obstack = 0; use_obstack < 2; use_obstack++) {
		struct cu *cu = cu__new("unit", 8, NULL, 0, "file", use_obstack);

		test_functions(cu);
		test_types(cu);
		test_spaces(cu);
		test_any(cu);
		cu__delete(cu);
	}
	test_tables();
	test_sets();
	test_alignments();
	test_rest();
}
