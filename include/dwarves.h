/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _DWARVES_H_
#define _DWARVES_H_ 1

/*
 * The library's main header: structures and functions (dwarves_types.h) and the inline half of the interface, which is C only.
 *
 * Casts named after what they make, tag__type() and the like, are free: whatever is a tag starts with one. What the tag is says
 * tag->tag, a DW_TAG number, and nobody checks it. Iterations skip empty slots of a unit's tables; types start at id 1, since 0
 * is void.
 */

#include "dwarves_types.h"
#include "dutil.h"
#include "list.h"
#include "rbtree.h"

#ifndef __cplusplus

#ifndef DW_TAG_atomic_type
#define DW_TAG_atomic_type 0x47
#endif

#ifndef DW_TAG_skeleton_unit
#define DW_TAG_skeleton_unit 0x4a
#endif

/* Zero, unless the condition holds: then it does not compile. */
#define BUILD_BUG_ON_ZERO(e) (sizeof(struct { int:-!!(e); }))
#ifndef __same_type
#define __same_type(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#endif
#define __must_be_array(a) BUILD_BUG_ON_ZERO(__same_type((a), &(a)[0]))
#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]) + __must_be_array(arr))

/* Functions of libbpf that not every version has; compare with NULL before use. */
#define __weak __attribute__((weak))
struct btf_new_opts;
__weak extern int btf__add_enum64(struct btf *btf, const char *name, uint32_t byte_sz, bool is_signed);
__weak extern int btf__add_enum64_value(struct btf *btf, const char *name, unsigned long long value);
__weak extern int btf__add_type_attr(struct btf *btf, const char *value, int ref_type_id);
__weak extern int btf__distill_base(const struct btf *src_btf, struct btf **new_base_btf, struct btf **new_split_btf);
__weak extern struct btf *btf__new_empty_opts(struct btf_new_opts *opts);

#define ARCH_MAX_REGISTER_PARAMS 8

/* Units. */

static inline __pure bool cu__is_c(const struct cu *cu)
{
	return cu->language == LANG_C;
}

static inline __pure bool cu__is_c_plus_plus(const struct cu *cu)
{
	return cu->language == LANG_C_plus_plus;
}

/* Needs a unit with a module of libdwfl. */
static inline int cu__cache_symtab(struct cu *cu)
{
	int nr_entries = dwfl_module_getsymtab(cu->dwfl);

	if (nr_entries > 0)
		cu->cached_symtab_nr_entries = (uint32_t)nr_entries;
	return nr_entries;
}

#define cu__for_each_cached_symtab_entry(cu, id, pos, name) \
	for (id = 1, name = dwfl_module_getsym((cu)->dwfl, id, &sym, NULL); id < (cu)->cached_symtab_nr_entries; \
	     ++id, name = dwfl_module_getsym((cu)->dwfl, id, &sym, NULL))

/* Every entry of a table from first on that is not NULL, cast, and for which the condition holds. */
#define __cu__for_each(table, first, id, pos, condition) \
	for (id = (first); id < (table).nr_entries; ++id) \
		if ((pos = (__typeof__(pos))(table).entries[id]) == NULL || !(condition)) \
			continue; \
		else

#define cu__for_each_type(cu, id, pos) __cu__for_each((cu)->types_table, 1, id, pos, true)
#define cu__for_each_struct(cu, id, pos) \
	__cu__for_each((cu)->types_table, 1, id, pos, tag__is_struct(class__tag(pos)))
#define cu__for_each_struct_or_union(cu, id, pos) \
	__cu__for_each((cu)->types_table, 1, id, pos, tag__is_struct(class__tag(pos)) || tag__is_union(class__tag(pos)))
#define cu__for_each_enumeration(cu, id, pos) \
	__cu__for_each((cu)->types_table, 1, id, pos, tag__is_enumeration(type__tag(pos)))
#define cu__for_each_function(cu, id, pos) __cu__for_each((cu)->functions_table, 0, id, pos, true)
#define cu__for_each_variable(cu, id, pos) __cu__for_each((cu)->tags_table, 0, id, pos, tag__is_variable(pos))
#define cu__for_each_constant(cu, id, pos) __cu__for_each((cu)->tags_table, 0, id, pos, tag__is_constant(pos))
#define cu__for_each_namespace(cu, id, pos) __cu__for_each((cu)->tags_table, 0, id, pos, tag__is_namespace(pos))

/* What a tag is. */

#define __DWARVES_IS(type, name, number) \
	static inline type tag__is_##name(const struct tag *tag) \
	{ \
		return tag->tag == (number); \
	}

__DWARVES_IS(int, enumeration, DW_TAG_enumeration_type)
__DWARVES_IS(int, namespace, DW_TAG_namespace)
__DWARVES_IS(int, typedef, DW_TAG_typedef)
__DWARVES_IS(int, rvalue_reference_type, DW_TAG_rvalue_reference_type)
__DWARVES_IS(int, union, DW_TAG_union_type)
__DWARVES_IS(int, const, DW_TAG_const_type)
__DWARVES_IS(int, pointer, DW_TAG_pointer_type)
__DWARVES_IS(bool, variable, DW_TAG_variable)
__DWARVES_IS(bool, constant, DW_TAG_constant)
__DWARVES_IS(bool, volatile, DW_TAG_volatile_type)
__DWARVES_IS(bool, atomic, DW_TAG_atomic_type)
__DWARVES_IS(bool, restrict, DW_TAG_restrict_type)
__DWARVES_IS(int, function, DW_TAG_subprogram)
__DWARVES_IS(int, class_member, DW_TAG_member)

#undef __DWARVES_IS

static inline int tag__is_struct(const struct tag *tag)
{
	return tag->tag == DW_TAG_structure_type || tag->tag == DW_TAG_interface_type || tag->tag == DW_TAG_class_type;
}

static inline int tag__is_pointer_to(const struct tag *tag, type_id_t type)
{
	return tag__is_pointer(tag) && tag->type == type;
}

static inline int tag__is_modifier(const struct tag *tag)
{
	return tag__is_const(tag) || tag__is_volatile(tag) || tag__is_restrict(tag) || tag__is_atomic(tag);
}

static inline bool tag__has_namespace(const struct tag *tag)
{
	return tag__is_struct(tag) || tag__is_union(tag) || tag__is_namespace(tag) || tag__is_enumeration(tag);
}

/* Whether it is a struct type. */
static inline int tag__is_type(const struct tag *tag)
{
	return tag__is_union(tag) || tag__is_struct(tag) || tag__is_typedef(tag) || tag__is_rvalue_reference_type(tag) ||
	       tag__is_enumeration(tag);
}

/* Whether its id is one of the table of types. */
static inline int tag__is_tag_type(const struct tag *tag)
{
	if (tag__is_type(tag) || tag__is_modifier(tag) || tag__is_pointer(tag) || tag__is_annotation(tag->tag))
		return true;
	switch (tag->tag) {
	case DW_TAG_array_type:
	case DW_TAG_string_type:
	case DW_TAG_base_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_reference_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_unspecified_type:
		return true;
	}
	return false;
}

/* Where a tag came from, as far as the format and the options of the load tell. */

static inline const char *tag__decl_file(const struct tag *tag, const struct cu *cu)
{
	return cu->dfops != NULL && cu->dfops->tag__decl_file != NULL ? cu->dfops->tag__decl_file(tag, cu) : NULL;
}

static inline uint32_t tag__decl_line(const struct tag *tag, const struct cu *cu)
{
	return cu->dfops != NULL && cu->dfops->tag__decl_line != NULL ? cu->dfops->tag__decl_line(tag, cu) : 0;
}

static inline unsigned long long tag__orig_id(const struct tag *tag, const struct cu *cu)
{
	return cu->dfops != NULL && cu->dfops->tag__orig_id != NULL ? cu->dfops->tag__orig_id(tag, cu) : 0;
}

/* Complaints that name the caller. */

#define tag__assert_search_result(result, tag, name) \
	do { \
		if (!(result)) \
			tag__not_found_die(__FILE__, __LINE__, __func__, tag, name); \
	} while (0)
#define tag__id_not_found_fprintf(fp, id) __tag__id_not_found_fprintf(fp, id, __func__, __LINE__)
#define tag__has_type_loop(tag, type, bf, len, fp) __tag__has_type_loop(tag, type, bf, len, fp, __func__, __LINE__)

/* Casts. */

#define __DWARVES_CAST(name) \
	static inline struct name *tag__##name(const struct tag *tag) \
	{ \
		return (struct name *)tag; \
	}

__DWARVES_CAST(array_type)
__DWARVES_CAST(base_type)
__DWARVES_CAST(class)
__DWARVES_CAST(class_member)
__DWARVES_CAST(constant)
__DWARVES_CAST(formal_parameter_pack)
__DWARVES_CAST(ftype)
__DWARVES_CAST(function)
__DWARVES_CAST(inline_expansion)
__DWARVES_CAST(label)
__DWARVES_CAST(lexblock)
__DWARVES_CAST(namespace)
__DWARVES_CAST(parameter)
__DWARVES_CAST(string_type)
__DWARVES_CAST(template_parameter_pack)
__DWARVES_CAST(type)
__DWARVES_CAST(variable)

#undef __DWARVES_CAST

static inline struct ptr_to_member_type *tag__ptr_to_member_type(const struct tag *tag)
{
	return (struct ptr_to_member_type *)tag;
}

static inline struct btf_type_tag_ptr_type *tag__btf_type_tag_ptr(struct tag *tag)
{
	return (struct btf_type_tag_ptr_type *)tag;
}

static inline struct btf_type_tag_type *tag__btf_type_tag(struct tag *tag)
{
	return (struct btf_type_tag_type *)tag;
}

static inline struct tag *function__tag(const struct function *func)
{
	return (struct tag *)func;
}

static inline struct tag *type__tag(const struct type *type)
{
	return (struct tag *)type;
}

static inline struct class *type__class(const struct type *type)
{
	return (struct class *)type;
}

static inline struct tag *class__tag(const struct class *cls)
{
	return (struct tag *)cls;
}

/* Fields. */

#define __DWARVES_GET(type, function, owner, field) \
	static inline type function(const struct owner *owner) \
	{ \
		return owner->field; \
	}

__DWARVES_GET(const char *, label__name, label, name)
__DWARVES_GET(const char *, constant__name, constant, name)
__DWARVES_GET(uint64_t, constant__value, constant, value)
__DWARVES_GET(const char *, parameter__name, parameter, name)
__DWARVES_GET(const char *, function__linkage_name, function, linkage_name)
__DWARVES_GET(uint64_t, function__addr, function, lexblock.ip.addr)
__DWARVES_GET(uint32_t, function__size, function, lexblock.size)
__DWARVES_GET(const char *, class_member__name, class_member, name)
__DWARVES_GET(const char *, namespace__name, namespace, name)
__DWARVES_GET(const char *, type__name, type, namespace.name)
__DWARVES_GET(const char *, class__name, class, type.namespace.name)
__DWARVES_GET(uint16_t, class__nr_members, class, type.nr_members)
__DWARVES_GET(uint32_t, class__size, class, type.size)
__DWARVES_GET(int, class__is_declaration, class, type.declaration)
__DWARVES_GET(const char *, enumerator__name, enumerator, name)

#undef __DWARVES_GET

static inline int function__declared_inline(const struct function *func)
{
	return func->inlined == DW_INL_declared_inlined || func->inlined == DW_INL_declared_not_inlined;
}

static inline int function__inlined(const struct function *func)
{
	return func->inlined == DW_INL_inlined || func->inlined == DW_INL_declared_inlined;
}

static inline uint16_t base_type__size(const struct tag *tag)
{
	return tag__base_type(tag)->bit_size / 8;
}

static inline __pure bool namespace__shared_tags(struct namespace *nspace)
{
	return nspace->tag.shared_tags;
}

static inline int class__is_struct(const struct class *cls)
{
	return tag__is_struct(&cls->type.namespace.tag);
}

static inline struct list_head *class__tags(struct class *cls)
{
	return &cls->type.namespace.tags;
}

static inline struct class_member *class__find_member_by_name(const struct class *cls, const char *name)
{
	return type__find_member_by_name(&cls->type, name);
}

/* For types whose tags are members all: C structs and unions. */
static inline struct class_member *type__first_member(struct type *type)
{
	return list_first_entry(&type->namespace.tags, struct class_member, tag.node);
}

static inline struct class_member *class_member__next(struct class_member *member)
{
	return list_next_entry(member, tag.node);
}

/* Iterations over what a tag owns. */

#define namespace__for_each_tag(nspace, pos) list_for_each_entry(pos, &(nspace)->tags, node)
#define namespace__for_each_tag_safe_reverse(nspace, pos, n) \
	list_for_each_entry_safe_reverse(pos, n, &(nspace)->tags, node)

#define ftype__for_each_parameter(ftype, pos) list_for_each_entry(pos, &(ftype)->parms, tag.node)
#define ftype__for_each_parameter_safe(ftype, pos, n) list_for_each_entry_safe(pos, n, &(ftype)->parms, tag.node)
#define ftype__for_each_parameter_safe_reverse(ftype, pos, n) \
	list_for_each_entry_safe_reverse(pos, n, &(ftype)->parms, tag.node)

/* Functions of BTF have their parameters in the prototype that they refer to. */
#define function__for_each_parameter(func, cu, pos) \
	ftype__for_each_parameter((func)->btf ? tag__ftype(cu__type(cu, (func)->proto.tag.type)) : &(func)->proto, pos)

#define __type__skip_unless(condition) \
	if (!(condition)) \
		continue; \
	else

#define type__for_each_tag(type, pos) list_for_each_entry(pos, &(type)->namespace.tags, node)
#define type__for_each_tag_safe_reverse(type, pos, n) \
	list_for_each_entry_safe_reverse(pos, n, &(type)->namespace.tags, tag.node)
#define type__for_each_member(type, pos) \
	list_for_each_entry(pos, &(type)->namespace.tags, tag.node) \
		__type__skip_unless(pos->tag.tag == DW_TAG_member || pos->tag.tag == DW_TAG_inheritance)
#define type__for_each_data_member(type, pos) \
	list_for_each_entry(pos, &(type)->namespace.tags, tag.node) \
		__type__skip_unless(pos->tag.tag == DW_TAG_member)
#define type__for_each_data_member_safe(type, pos, n) \
	list_for_each_entry_safe(pos, n, &(type)->namespace.tags, tag.node) \
		__type__skip_unless(pos->tag.tag == DW_TAG_member)
#define type__for_each_member_safe(type, pos, n) type__for_each_data_member_safe(type, pos, n)
#define type__for_each_variant_part_safe_reverse(type, pos, n) \
	list_for_each_entry_safe_reverse(pos, n, &(type)->variant_parts, tag.node)

/* Declares a variable: one use in a scope. Functions may stand behind the enumerators, see tag.tag. */
#define type__for_each_enumerator(type, pos) \
	struct list_head *__type__for_each_enumerator_head = \
		namespace__shared_tags(&(type)->namespace) ? (type)->namespace.tags.next : &(type)->namespace.tags; \
	list_for_each_entry(pos, __type__for_each_enumerator_head, tag.node)
/* Nothing, for enumerators that another enumeration owns. */
#define type__for_each_enumerator_safe_reverse(type, pos, n) \
	if (namespace__shared_tags(&(type)->namespace)) { \
	} else \
		list_for_each_entry_safe_reverse(pos, n, &(type)->namespace.tags, tag.node)

/* From a member on, or from the first one if it is NULL; "continue" starts behind it. Two statements: not for a bare if. */
#define class__for_each_member_from(cls, from, pos) \
	pos = (from) ? (from) : list_first_entry(class__tags(cls), struct class_member, tag.node); \
	list_for_each_entry_from(pos, class__tags(cls), tag.node) \
		__type__skip_unless(tag__is_class_member(&pos->tag))
#define class__for_each_member_safe_from(cls, from, pos, tmp) \
	pos = (from) ? (from) : list_first_entry(class__tags(cls), struct class_member, tag.node); \
	list_for_each_entry_safe_from(pos, tmp, class__tags(cls), tag.node) \
		__type__skip_unless(tag__is_class_member(&pos->tag))
#define class__for_each_member_continue(cls, from, pos) \
	pos = list_prepare_entry(from, class__tags(cls), tag.node); \
	list_for_each_entry_continue(pos, class__tags(cls), tag.node) \
		__type__skip_unless(tag__is_class_member(&pos->tag))
#define class__for_each_member_reverse(cls, member) \
	list_for_each_entry_reverse(member, class__tags(cls), tag.node) \
		__type__skip_unless(member->tag.tag == DW_TAG_member)

#endif /* __cplusplus */

#endif
