/* SPDX-License-Identifier: GPL-2.0-only */
/* Units, their tables, and sets of units. */
#include "test.h"

static int show(struct cu *cu, void *cookie)
{
	printf(" %s", cu->name);
	return cookie && strcmp(cu->name, cookie) == 0;
}

static struct cu *without_second(struct cu *cu)
{
	return strcmp(cu->name, "second") == 0 ? NULL : cu;
}

static void loader_exit(struct cus *cus)
{
	printf("exit: %s, empty %d\n", (char *)cus__priv(cus), cus__empty(cus));
}

static void test_set(void)
{
	struct cus *cus = cus__new();
	struct cu *first = cu__new("first", 8, (const unsigned char *)"0123", 4, "file", false);
	struct cu *second = cu__new("second", 4, (const unsigned char *)"0123", 4, "file", true);
	struct cu *third = cu__new("third", 8, (const unsigned char *)"0124", 4, "file", false);

	printf("names: %p %p\n", (void *)cu__new(NULL, 8, NULL, 0, "file", false), (void *)cu__new("x", 8, NULL, 0, NULL, false));
	printf("set: %d %u", cus__empty(cus), cus__nr_entries(cus));
	cus__add(cus, first);
	printf(" %d", cus__find_pair(cus, "anything") == first);
	cus__lock(cus);
	__cus__add(cus, second);
	cus__unlock(cus);
	cus__add(cus, third);
	printf(" %d %u\n", cus__empty(cus), cus__nr_entries(cus));
	printf("pairs: %d %p\n", cus__find_pair(cus, "third") == third, (void *)cus__find_pair(cus, "fourth"));
	printf("all:");
	cus__for_each_cu(cus, show, NULL, NULL);
	printf("\nfiltered:");
	cus__for_each_cu(cus, show, NULL, without_second);
	printf("\nstopped:");
	cus__for_each_cu(cus, show, "second", NULL);
	cus__remove(cus, second);
	printf("\nremoved: %d %u\n", list_empty(&second->node), cus__nr_entries(cus));
	printf("build ids: %d %d\n", cu__same_build_id(first, second), cu__same_build_id(first, third));
	cu__delete(second);
	cu__delete(NULL);
	cus__set_priv(cus, "private");
	cus__set_loader_exit(cus, loader_exit);
	cus__delete(cus);
	cus__delete(NULL);
}

static void test_memory(bool use_obstack)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", use_obstack);
	unsigned int state = 3, sum = 0;

	for (int i = 0; i < 2000; i++) {
		size_t size = 1 + next_random(&state) % 2000;
		unsigned char *zeroes = cu__zalloc(cu, size), *bytes = cu__malloc(cu, size);

		sum |= zeroes[0] | zeroes[size - 1] | ((uintptr_t)zeroes & 7) | ((uintptr_t)bytes & 7);
		memset(zeroes, 0xff, size);
		memset(bytes, 0xff, size);
		cu__free(cu, zeroes);
		cu__free(cu, bytes);
	}
	printf("memory: %u\n", sum);
	cu__delete(cu);
}

static void test_tables(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct function *functions[3];
	struct tag *pos;
	uint32_t id = 99;

	printf("unit: %u %u %u, %d, %d %d\n", cu->types_table.nr_entries, cu->functions_table.nr_entries, cu->tags_table.nr_entries,
	       cu->addr_size, cu->use_obstack, cu->build_id_len);
	id = add_base_type(cu, "int", 32);
	printf("types: %u %d %p %p\n", id, cu__type(cu, id)->tag, (void *)cu__type(cu, 0), (void *)cu__type(cu, 1000));
	for (int i = 0; i < 3; i++) {
		functions[i] = new_tag(cu, sizeof(struct function), DW_TAG_subprogram);
		functions[i]->name = i == 1 ? NULL : "function";
		functions[i]->lexblock.ip.addr = 0x1000 * (3 - i);
		functions[i]->lexblock.size = 0x10;
		printf("function: %d", cu__add_tag(cu, function__tag(functions[i]), &id));
		printf(" %u\n", id);
	}
	printf("at: %d %d %p\n", cu__find_function_at_addr(cu, 0x1000) == functions[2],
	       cu__find_function_at_addr(cu, 0x200f) == functions[1], (void *)cu__find_function_at_addr(cu, 0x2010));
	printf("named: %d %p\n", cu__find_function_by_name(cu, "function") == cu__function(cu, 0),
	       (void *)cu__find_function_by_name(cu, "other"));
	pos = new_tag(cu, sizeof(struct variable), DW_TAG_variable);
	printf("with id: %d", cu__add_tag_with_id(cu, pos, 5000));
	printf(" %u %u %p %d\n", cu->tags_table.nr_entries, cu->tags_table.allocated_entries, (void *)cu__tag(cu, 4999),
	       cu__tag(cu, 5000) == pos);
	printf("nullify: %d", cu__table_nullify_type_entry(cu, 1));
	printf(" %p %u\n", (void *)cu__type(cu, 1), cu->types_table.nr_entries);
	printf("order:");
	list_for_each_entry(pos, &cu->tags, node)
		printf(" %s", dwarf_tag_name(pos->tag));
	printf("\n%d\n", cu__fprintf_ptr_table_stats_csv(cu, stdout));
	cu__delete(cu);
}

void test_units(void)
{
	test_set();
	test_memory(false);
	test_memory(true);
	test_tables();
}
