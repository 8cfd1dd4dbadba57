// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes everything that a loaded file consists of as text: tables, lists, every field that programs may read. Run on two libraries,
 * the output shows where their tags differ.
 *
 *   dump [-F FORMATS] [-b BASE] [-c CACHELINE] [-j JOBS] [-n UNITS] [-m] [-t] [-x] [-k] [-J] [-e OUT] FILE...
 *
 * -b reads a base BTF with libbpf, which this program finds at run time; -x asks for declaration lines and addresses; -k lets a
 * stealer see each unit first, and keep it; -n has it end the loading after so many units; -m asks for all units in one, -t for what functions
 * really take that say they do not follow their calling convention. -J loads as who encodes
 * does, and shows each unit to the stealer after asking for a type; -e has the stealer encode the units, into OUT. Lists that were never initialised show as "zero".
 */
#include <dlfcn.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "headers.h"

static const char *text(const char *s)
{
	return s ? s : "<null>";
}

static unsigned int length(const struct list_head *head)
{
	unsigned int count = 0;

	for (const struct list_head *at = head->next; at != head; at = at->next) {
		if (at->next->prev != at || at->prev->next != at)
			printf(" broken-list");
		++count;
	}
	return count;
}

static void show_list(const char *name, const struct list_head *head)
{
	if (head->next == NULL && head->prev == NULL)
		printf(" %s=zero", name);
	else if (!list_empty(head))
		printf(" %s=%u", name, length(head));
}

static void show_tag(const struct tag *tag, const struct cu *cu, int depth);

static void show_list_of_tags(const struct list_head *head, const struct cu *cu, int depth)
{
	const struct tag *pos;

	if (head->next == NULL)
		return;
	list_for_each_entry(pos, head, node)
		show_tag(pos, cu, depth);
}

static void show_annots(const struct list_head *head)
{
	const struct llvm_annotation *annot;

	show_list("annots", head);
	if (head->next == NULL)
		return;
	list_for_each_entry(annot, head, node)
		printf(" annot(%s %d)", text(annot->value), annot->component_idx);
}

static void show_namespace(const struct namespace *ns)
{
	printf(" name=%s", text(ns->name));
	show_list("tags", &ns->tags);
	show_annots(&ns->annots);
}

static void show_member(const struct class_member *m)
{
	printf(" name=%s bit_offset=%u bit_size=%u byte_offset=%u hole=%d byte_size=%zu bitfield=%d:%u bit_hole=%u end=%u static=%u"
	       " has_bit_offset=%u access=%u virt=%u align=%u const=%" PRIu64,
	       text(m->name), m->bit_offset, m->bit_size, m->byte_offset, m->hole, m->byte_size, m->bitfield_offset, m->bitfield_size,
	       m->bit_hole, m->bitfield_end, m->is_static, m->has_bit_offset, m->accessibility, m->virtuality, m->alignment,
	       m->const_value);
}

static void show_template_parameters(const struct list_head *types, const struct list_head *values,
				     const struct template_parameter_pack *pack)
{
	const struct template_type_param *ttparm;
	const struct template_value_param *tvparm;

	show_list("ttypes", types);
	show_list("tvalues", values);
	if (types->next)
		list_for_each_entry(ttparm, types, tag.node)
			printf(" ttype(%s %u)", text(ttparm->name), ttparm->tag.type);
	if (values->next)
		list_for_each_entry(tvparm, values, tag.node)
			printf(" tvalue(%s %u %" PRIu64 " %" PRIu64 ")", text(tvparm->name), tvparm->tag.type, tvparm->const_value,
			       tvparm->default_value);
	if (pack) {
		printf(" tpack(%s", text(pack->name));
		list_for_each_entry(ttparm, &pack->params, tag.node)
			printf(" %s:%u", text(ttparm->name), ttparm->tag.type);
		printf(")");
	}
}

static void show_type(const struct type *t)
{
	show_namespace(&t->namespace);
	printf(" size=%u diff=%d statics=%u members=%u align=%u natural=%u prefix=%s:%u max=%u flags=%u%u%u%u%u%u%u", t->size, t->size_diff,
	       t->nr_static_members, t->nr_members, t->alignment, t->natural_alignment, t->member_prefix ? "set" : "null",
	       t->member_prefix_len, t->max_tag_name_len, t->suffix_disambiguation, t->packed_attributes_inferred, t->declaration,
	       t->definition_emitted, t->fwd_decl_emitted, t->resized, t->is_signed_enum);
	show_list("node", &t->node);
	show_list("type_enum", &t->type_enum);
	show_list("variant_parts", &t->variant_parts);
	show_template_parameters(&t->template_type_params, &t->template_value_params, t->template_parameter_pack);
}

static void show_class(const struct class *c)
{
	const struct function *f;

	show_type(&c->type);
	printf(" vtable=%u holes=%u/%u pre=%u/%u padding=%u/%u searched=%u%u%u flex=%u%u packed=%u priv=%p", c->nr_vtable_entries,
	       c->nr_holes, c->nr_bit_holes, c->pre_hole, c->pre_bit_hole, c->padding, c->bit_padding, c->holes_searched,
	       c->flexible_array_verified, c->embedded_flexible_array_searched, c->has_flexible_array, c->has_embedded_flexible_array,
	       c->is_packed, c->priv);
	show_list("vtable", &c->vtable);
	if (c->vtable.next)
		list_for_each_entry(f, &c->vtable, vtable_node)
			printf(" virtual(%s %d)", text(f->name), f->vtable_entry);
}

static void show_ftype(const struct ftype *f)
{
	show_list("parms", &f->parms);
	printf(" byte_size=%zu nr_parms=%u unspec=%u signature=%u%u%u%u%u%u%u", f->byte_size, f->nr_parms, f->unspec_parms,
	       f->optimized_parms, f->unexpected_reg, f->processed, f->inconsistent_proto, f->uncertain_parm_loc, f->reordered_parm,
	       f->signature_changed);
	show_template_parameters(&f->template_type_params, &f->template_value_params, f->template_parameter_pack);
	if (f->formal_parameter_pack) {
		const struct parameter *p;

		printf(" formal_pack(");
		list_for_each_entry(p, &f->formal_parameter_pack->params, tag.node)
			printf(" %s:%u", text(p->name), p->tag.type);
		printf(")");
	}
}

static void show_lexblock(const struct lexblock *b)
{
	printf(" addr=%#" PRIx64 " size=%u inlines=%u/%u labels=%u variables=%u blocks=%u", b->ip.addr, b->size, b->nr_inline_expansions,
	       b->size_inline_expansions, b->nr_labels, b->nr_variables, b->nr_lexblocks);
	show_list("block", &b->tags);
}

static void show_function(const struct function *f)
{
	printf(" name=%s linkage=%s alias=%s inlined=%u origin=%u external=%u access=%u virt=%u decl=%u btf=%u vtable_entry=%d priv=%p",
	       text(f->name), text(f->linkage_name), text(f->alias), f->inlined, f->abstract_origin, f->external, f->accessibility,
	       f->virtuality, f->declaration, f->btf, f->vtable_entry, f->priv);
	if (!f->vtable_node.next)
		printf(" vtable_node=zero");
	show_annots(&f->annots);
	show_list("tool", &f->tool_node);
	show_ftype(&f->proto);
	show_lexblock(&f->lexblock);
}

static void show_variable(const struct variable *v)
{
	printf(" name=%s addr=%#" PRIx64 " flags=%u%u%u%u%u scope=%d spec=%s", text(v->name), v->ip.addr, v->external,
	       v->declaration, v->has_specification, v->artificial, v->top_level, v->scope,
	       v->spec ? text(v->spec->name) : "none");
	show_annots(&v->annots);
}

static void show_base_type(const struct base_type *b)
{
	printf(" name=%s bits=%u encoding=%u signed=%u bool=%u varargs=%u float=%u", text(b->name), b->bit_size, b->name_has_encoding,
	       b->is_signed, b->is_bool, b->is_varargs, b->float_type);
	show_list("node", &b->node);
}

static void show_array(const struct array_type *a)
{
	printf(" vector=%u dims=%u:", a->is_vector, a->dimensions);
	for (int i = 0; i < a->dimensions; ++i)
		printf("[%u]", a->nr_entries[i]);
}

static void show_parameter(const struct parameter *p)
{
	printf(" name=%s idx=%u member=%s:%#" PRIx64 " fields=%#lx,%#lx reg=%d bytes=%u flags=%u%u%u%u%u%u%u%u%u", text(p->name), p->idx,
	       text(p->true_sig_member_name), p->true_sig_type, p->first_reg_fields, p->second_reg_fields, p->loc_reg, p->type_byte_size,
	       p->true_sig_type_from_types, p->true_sig_type_from_alt, p->has_const_value, p->loc_const_value, p->loc_stack, p->optimized,
	       p->unexpected_reg, p->has_loc, p->passed_in_memory);
}

static void show_attributes(const struct attributes *a)
{
	for (uint64_t i = 0; a && i < a->cnt; ++i)
		printf(" attr(%s)", text(a->values[i]));
}

static void show_tag(const struct tag *tag, const struct cu *cu, int depth)
{
	if (depth > 32) {
		printf("too deep\n");
		return;
	}
	printf("%*s%s type=%u top=%u btf_tag=%u shared=%u rec=%u", depth, "", text(dwarf_tag_name(tag->tag)), tag->type, tag->top_level,
	       tag->has_btf_type_tag, tag->shared_tags, tag->recursivity_level);
	show_attributes(tag->attributes);
	if (cu->extra_dbg_info) {
		const char *file = tag__decl_file(tag, cu);

		/* The C library leaves the line of what is declared nowhere uninitialised. */
		printf(" die=%llx file=%s", tag__orig_id(tag, cu), text(file));
		if (file || tag->tag == DW_TAG_inlined_subroutine)
			printf(" line=%u", tag__decl_line(tag, cu));
	}

	const struct list_head *below = NULL, *more = NULL;

	switch (tag->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		show_class((const struct class *)tag);
		below = &((const struct type *)tag)->namespace.tags;
		break;
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_rvalue_reference_type:
		show_type((const struct type *)tag);
		if (!tag->shared_tags)
			below = &((const struct type *)tag)->namespace.tags;
		break;
	case DW_TAG_namespace:
		show_namespace((const struct namespace *)tag);
		below = &((const struct namespace *)tag)->tags;
		break;
	case DW_TAG_member:
	case DW_TAG_inheritance:
		show_member((const struct class_member *)tag);
		break;
	case DW_TAG_enumerator: {
		const struct enumerator *e = (const struct enumerator *)tag;

		printf(" name=%s value=%#" PRIx64, text(e->name), e->value);
		break;
	}
	case DW_TAG_base_type:
		show_base_type((const struct base_type *)tag);
		break;
	case DW_TAG_array_type:
		show_array((const struct array_type *)tag);
		break;
	case DW_TAG_string_type:
		printf(" entries=%u", ((const struct string_type *)tag)->nr_entries);
		break;
	case DW_TAG_ptr_to_member_type:
		printf(" containing=%u", ((const struct ptr_to_member_type *)tag)->containing_type);
		break;
	case DW_TAG_subroutine_type:
		show_ftype((const struct ftype *)tag);
		below = &((const struct ftype *)tag)->parms;
		break;
	case DW_TAG_subprogram:
		show_function((const struct function *)tag);
		below = &((const struct ftype *)tag)->parms;
		more = &((const struct function *)tag)->lexblock.tags;
		break;
	case DW_TAG_lexical_block:
		show_lexblock((const struct lexblock *)tag);
		more = &((const struct lexblock *)tag)->tags;
		break;
	case DW_TAG_formal_parameter:
		show_parameter((const struct parameter *)tag);
		break;
	case DW_TAG_variable:
		show_variable((const struct variable *)tag);
		break;
	case DW_TAG_constant: {
		const struct constant *c = (const struct constant *)tag;

		printf(" name=%s value=%#" PRIx64, text(c->name), c->value);
		break;
	}
	case DW_TAG_label: {
		const struct label *l = (const struct label *)tag;

		printf(" name=%s addr=%#" PRIx64, text(l->name), l->ip.addr);
		break;
	}
	case DW_TAG_inlined_subroutine: {
		const struct inline_expansion *i = (const struct inline_expansion *)tag;

		printf(" addr=%#" PRIx64 " size=%zu high=%#" PRIx64, i->ip.addr, i->size, i->high_pc);
		break;
	}
	default:
		break;
	}
	putchar('\n');
	if (below)
		show_list_of_tags(below, cu, depth + 1);
	if (more)
		show_list_of_tags(more, cu, depth + 1);
}

/* Nested types are in tables only; others are shown where they hang. */
static void show_table(const char *name, const struct ptr_table *table, const struct cu *cu)
{
	printf("%s: %u of %u\n", name, table->nr_entries, table->allocated_entries);
	for (uint32_t id = 0; id < table->nr_entries; ++id) {
		if (table->entries[id] == NULL)
			continue;
		printf("%u", id);
		show_tag(table->entries[id], cu, 1);
	}
}

static unsigned int nodes(const struct rb_node *node, const struct rb_node *parent)
{
	if (node == NULL)
		return 0;
	if (rb_parent(node) != parent)
		printf("broken tree\n");
	return 1 + nodes(node->rb_left, node) + nodes(node->rb_right, node);
}

static void show_functions_by_address(const struct rb_node *node)
{
	if (node == NULL)
		return;
	const struct function *f = rb_entry(node, struct function, rb_node);

	show_functions_by_address(node->rb_left);
	printf("%#" PRIx64 " %s\n", f->lexblock.ip.addr, text(f->name));
	show_functions_by_address(node->rb_right);
}

static unsigned int height(const struct rb_node *node)
{
	if (node == NULL)
		return 0;
	unsigned int left = height(node->rb_left), right = height(node->rb_right);
	return 1 + (left > right ? left : right);
}

static uint32_t max_units = UINT32_MAX;

static int show_cu(struct cu *cu, void *cookie)
{
	(void)cookie;
	/* Which units behind the last one are there depends on the workers. */
	if (cu->id >= max_units)
		return 0;
	printf("cu %u name=%s file=%s addr_size=%u little=%u language=%u flags=%u%u%u%u%u format=%s build_id=%d cached=%u\n", cu->id,
	       text(cu->name), text(cu->filename), cu->addr_size, cu->little_endian, cu->language, cu->use_obstack, cu->extra_dbg_info,
	       cu->has_addr_info, cu->uses_global_strings, cu->producer_clang, cu->dfops ? cu->dfops->name : "none", cu->build_id_len,
	       cu->cached_symtab_nr_entries);
	printf("functions by address: %u, height %u\n", nodes(cu->functions.rb_node, NULL), height(cu->functions.rb_node));
	if (cu->has_addr_info)
		show_functions_by_address(cu->functions.rb_node);
	printf("top-level tags: %u\n", length(&cu->tags));
	show_list_of_tags(&cu->tags, cu, 1);
	show_table("types", &cu->types_table, cu);
	show_table("functions", &cu->functions_table, cu);
	show_table("tags", &cu->tags_table, cu);
	return 0;
}

static const char *out;
static struct btf_encoder *encoder;

static enum load_steal_kind steal(struct cu *cu, struct conf_load *conf)
{
	printf("stealer: %s\n", text(cu->name));
	if (conf->use_obstack && out == NULL) {
		printf("type 1 is %sthere\n", cu__type(cu, 1) ? "" : "not ");
		show_cu(cu, NULL);
	}
	if (out && encoder == NULL)
		encoder = btf_encoder__new(cu, out, NULL, false, conf);
	if (encoder)
		printf("encoded: %d\n", btf_encoder__encode_cu(encoder, cu, conf));
	return cu->id + 1 >= max_units ? LSK__STOP_LOADING : LSK__KEEPIT;
}

static struct btf *parse_base(const char *path)
{
	void *libbpf = dlopen("libbpf.so.1", RTLD_NOW | RTLD_GLOBAL);
	struct btf *(*parse)(const char *, void *) = libbpf ? (struct btf *(*)(const char *, void *))dlsym(libbpf, "btf__parse") : NULL;

	return parse ? parse(path, NULL) : NULL;
}

int main(int argc, char *argv[])
{
	struct conf_fprintf printing = { .cacheline_size = 64 };
	struct conf_load conf = { .conf_fprintf = &printing };
	int option;

	while ((option = getopt(argc, argv, "F:b:c:e:j:n:mtxkJ")) != -1) {
		switch (option) {
		case 'F':
			conf.format_path = optarg;
			break;
		case 'b':
			conf.base_btf = parse_base(optarg);
			if (conf.base_btf == NULL) {
				printf("no base\n");
				return 1;
			}
			break;
		case 'c':
			printing.cacheline_size = (uint16_t)atoi(optarg);
			break;
		case 'j':
			conf.nr_jobs = atoi(optarg);
			break;
		case 'n':
			max_units = (uint32_t)atoi(optarg);
			conf.steal = steal;
			break;
		case 'm':
			conf.force_cu_merging = true;
			break;
		case 't':
			conf.true_signature = true;
			break;
		case 'x':
			conf.extra_dbg_info = conf.get_addr_info = true;
			break;
		case 'k':
			conf.steal = steal;
			break;
		case 'J':
			conf.steal = steal;
			conf.use_obstack = conf.get_addr_info = true;
			conf.ignore_alignment_attr = conf.ignore_inline_expansions = conf.ignore_labels = true;
			break;
		case 'e':
			conf.steal = steal;
			out = optarg;
			break;
		default:
			return 2;
		}
	}
	dwarves__init();
	struct cus *cus = cus__new();
	int result = 0;

	for (int i = optind; i < argc && result == 0; ++i) {
		result = cus__load_file(cus, &conf, argv[i]);
		printf("%s: %d\n", argv[i], result);
	}
	if (encoder) {
		printf("written: %d\n", btf_encoder__encode(encoder, &conf));
		btf_encoder__delete(encoder);
	} else if (!conf.use_obstack) {
		cus__for_each_cu(cus, show_cu, NULL, NULL);
	}
	cus__delete(cus);
	dwarves__exit();
	return result != 0;
}
