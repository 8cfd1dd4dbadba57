/* SPDX-License-Identifier: GPL-2.0-only */
/* Holes, padding, packing and alignment of many made-up structs. */
#include "test.h"

static const struct {
	const char *name;
	uint16_t bits;
} bases[] = { { "char", 8 }, { "short", 16 }, { "int", 32 }, { "long", 64 }, { "long long int", 128 } };

static void show(struct class *cls, struct cu *cu)
{
	struct class_member *pos, *biggest;
	bool packed = class__infer_packed_attributes(cls, cu);

	printf("%s of %u: %d holes, %d bit holes, padding %d and %d, before %d and %d, packed %d, alignment %zu, flexible %d %d\n",
	       class__name(cls), class__size(cls), cls->nr_holes, cls->nr_bit_holes, cls->padding, cls->bit_padding, cls->pre_hole,
	       cls->pre_bit_hole, packed, tag__natural_alignment(class__tag(cls), cu), class__has_flexible_array(cls, cu),
	       class__has_embedded_flexible_array(cls, cu));
	type__for_each_member(&cls->type, pos)
		if (pos->hole || pos->bit_hole)
			printf("  %s %d %d", pos->name, pos->hole, pos->bit_hole);
	biggest = type__find_first_biggest_size_base_type_member(&cls->type, cu);
	printf("  biggest %s, ge %d %d\n", biggest ? biggest->name : "none", class__has_hole_ge(cls, 2), class__has_hole_ge(cls, 9));
}

/* Members in order, with gaps now and then, some of them runs of bit-fields. */
static struct class *make_struct(struct cu *cu, unsigned int *state, const uint32_t *types, struct class **others, int nr_others)
{
	static const char *names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	static char labels[400][16];
	uint32_t id, offset = next_random(state) % 8 ? 0 : 4;
	struct class *cls;

	snprintf(labels[nr_others], sizeof(labels[0]), "s%d", nr_others);
	cls = add_struct(cu, labels[nr_others], 0, &id);
	for (unsigned int i = 0, n = 1 + next_random(state) % 7; i < n; i++) {
		unsigned int which = next_random(state) % 4;
		size_t size = bases[which].bits / 8;
		struct class_member *member;

		if (next_random(state) % 4)
			offset = roundup(offset, (uint32_t)size);
		if (next_random(state) % 8 == 0)
			offset += next_random(state) % 12;
		if (which < 3 && next_random(state) % 3 == 0) {
			uint32_t bit = next_random(state) % 4 ? 0 : 3;

			while (bit < size * 8 && i < n) {
				uint32_t width = 1 + next_random(state) % (size * 8 - bit);

				member = add_member(cls, cu, names[i % 8], types[which], offset, size);
				member->bit_offset = offset * 8 + bit;
				member->bitfield_size = width;
				member->bitfield_offset = bit;
				bit += width + (next_random(state) % 4 ? 0 : 2);
				i++;
			}
			offset += size;
		} else if (nr_others > 0 && next_random(state) % 6 == 0) {
			struct class *inner = others[next_random(state) % (unsigned int)nr_others];
			uint32_t inner_id = 0;

			for (uint32_t t = 1; t < cu->types_table.nr_entries; t++)
				if (cu__type(cu, t) == class__tag(inner))
					inner_id = t;
			add_member(cls, cu, names[i % 8], inner_id, offset, class__size(inner));
			offset += class__size(inner);
		} else {
			member = add_member(cls, cu, names[i % 8], types[which], offset, size);
			if (next_random(state) % 20 == 0) {
				member->is_static = 1;
				cls->type.nr_members--;
				cls->type.nr_static_members++;
			} else {
				offset += size;
			}
		}
	}
	cls->type.size = next_random(state) % 2 ? roundup(offset, 8) : offset;
	cls->type.alignment = next_random(state) % 6 ? 0 : 1;
	return cls;
}

static void test_flexible(struct cu *cu, uint32_t type_int)
{
	struct array_type *array = new_tag(cu, sizeof(*array), DW_TAG_array_type);
	uint32_t id, array_id, none = 0;
	struct class *cls, *outer;

	array->tag.type = type_int;
	array->dimensions = 1;
	array->nr_entries = &none;
	cu__add_tag(cu, &array->tag, &array_id);
	cls = add_struct(cu, "flexible", 4, &id);
	add_member(cls, cu, "n", type_int, 0, 4);
	add_member(cls, cu, "rest", array_id, 4, 0);
	outer = add_struct(cu, "outer", 4, &array_id);
	add_member(outer, cu, "inner", id, 0, 4);
	show(outer, cu);
	show(cls, cu);
}

static void test_union(struct cu *cu, const uint32_t *types)
{
	uint32_t id, union_id;
	struct class *cls = add_struct(cu, "odd", 6, &id), *whole;

	add_member(cls, cu, "a", types[2], 0, 4);
	add_member(cls, cu, "b", types[1], 4, 2);
	whole = add_struct(cu, "whole", 6, &union_id);
	whole->type.namespace.tag.tag = DW_TAG_union_type;
	add_member(whole, cu, "odd", id, 0, 6);
	union__infer_packed_attributes(&whole->type, cu);
	printf("union: %d %d, %zu\n", cls->is_packed, whole->type.packed_attributes_inferred, tag__size(class__tag(whole), cu));
	class__find_holes(whole);
	printf("not a struct: %d\n", whole->holes_searched);
}

void test_layouts(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	struct conf_fprintf print = { .cacheline_size = 0 };
	struct conf_load load = { .conf_fprintf = &print };
	static struct class *classes[400];
	uint32_t types[5];
	unsigned int state = 7;

	dwarves__resolve_cacheline_size(&load, 32);
	printf("cache lines: %d", print.cacheline_size);
	print.cacheline_size = 0;
	for (int i = 0; i < 5; i++)
		types[i] = add_base_type(cu, bases[i].name, bases[i].bits);
	printf(" %zu", tag__nr_cachelines(&print, cu__type(cu, types[4]), cu));
	print.cacheline_size = 3;
	printf(" %zu\n", tag__nr_cachelines(&print, cu__type(cu, types[4]), cu));
	for (int i = 0; i < 400; i++)
		classes[i] = make_struct(cu, &state, types, classes, i);
	for (int i = 0; i < 400; i++)
		show(classes[i], cu);
	test_flexible(cu, types[2]);
	test_union(cu, types);
	cu__delete(cu);
}
