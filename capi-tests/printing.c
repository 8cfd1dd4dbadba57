/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that prints, over loaded units and over trees made by hand. Each result is compared with the number of bytes that
 * arrived. To keep expected.txt short, most texts stand in it as a hash; with CAPI_TESTS_VERBOSE in the environment they are shown.
 */
#include "test.h"

static struct conf_fprintf loading = { .cacheline_size = 64 };
static char *text;
static size_t text_size;
static FILE *stream;

static FILE *begin(void)
{
	stream = open_memstream(&text, &text_size);
	if (stream == NULL)
		abort();
	return stream;
}

static void end(const char *what, size_t result, bool whole)
{
	uint32_t hash = 0;

	fclose(stream);
	for (size_t i = 0; i < text_size; i++)
		hash = hash * 31 + (unsigned char)text[i];
	printf("%s: %zu of %zu bytes, %08x\n", what, result, text_size, hash);
	if (whole || getenv("CAPI_TESTS_VERBOSE"))
		printf("%s\n", text);
	free(text);
	text = NULL;
}

static struct conf_fprintf confs[] = {
	{ .indent = 2 },
	{ .expand_types = 1 },
	{ .expand_types = 1, .expand_pointers = 1 },
	{ .expand_types = 1, .rel_offset = 1, .hex_fmt = 1 },
	{ .emit_stats = 1 },
	{ .emit_stats = 1, .cacheline_size = 16 },
	{ .suppress_comments = 1, .suppress_packed = 1 },
	{ .has_alignment_info = 1 },
	{ .has_alignment_info = 1, .suppress_aligned_attribute = 1, .suppress_force_paddings = 1 },
	{ .suppress_offset_comment = 1, .no_semicolon = 1 },
	{ .show_decl_info = 1 },
	{ .show_only_data_members = 1 },
	{ .show_first_biggest_size_base_type_member = 1 },
	{ .flat_arrays = 1, .classes_as_structs = 1 },
	{ .no_parm_names = 1, .strip_inline = 1 },
	{ .prefix = "static", .suffix = "thing", .type_spacing = 10, .name_spacing = 40 },
	{ .base_offset = 100, .union_member = 1 },
	{ .skip_emitting_modifier = 1, .skip_emitting_atomic_typedefs = 1 },
	{ .first_member = 1, .last_member = 1, .skip_emitting_errors = 1 },
};

/* Without a file, the C library's line is whatever was in memory. */
static void declared(const struct tag *tag, const struct cu *cu)
{
	if (tag__decl_file(tag, cu))
		end("declared", tag__fprintf_decl_info(tag, cu, begin()), true);
	else
		printf("declared: id %llx\n", tag__orig_id(tag, cu));
}

static bool is_qualified_array(const struct tag *tag, const struct cu *cu)
{
	const struct tag *type = cu__type(cu, tag->type), *inner = tag__strip_typedefs_and_modifiers(tag, cu);

	return type != NULL && tag__is_modifier(type) && inner != NULL && inner->tag == DW_TAG_array_type;
}

static int print_unit(struct cu *cu, void *cookie)
{
	const char *name = strrchr(cu->name, '/') ? strrchr(cu->name, '/') + 1 : cu->name;
	struct function *function;
	char what[256], bf[256];
	struct tag *tag;
	uint32_t id;

	(void)cookie;
	cu__for_each_type(cu, id, tag) {
		const char *kind = dwarf_tag_name(tag->tag);
		bool own = tag__is_type(tag) && !tag__is_typedef(tag) && type__name(tag__type(tag));

		snprintf(bf, sizeof(bf), "?");
		printf("name %u: %s", id, or_null(tag__name(tag, cu, bf, sizeof(bf), NULL)));
		printf(" | %s", or_null(tag__name(tag, cu, bf, sizeof(bf), &confs[13])));
		/* The C library does not end the names of base types that do not fit. */
		printf(" | %s\n", tag->tag == DW_TAG_base_type ? "-" : or_null(tag__name(tag, cu, bf, 9, NULL)));
		snprintf(what, sizeof(what), "%s %s %u", name, kind, id);
		end(what, tag__fprintf(tag, cu, NULL, begin()), own);
		if (tag__is_struct(tag))
			end("class", class__fprintf(tag__class(tag), cu, begin()), false);
		if (tag__is_enumeration(tag))
			end("enumeration", enumeration__fprintf(tag, cu, &confs[0], begin()), true);
		if (tag__is_typedef(tag)) {
			end("typedef", typedef__fprintf(tag, cu, NULL, begin()), true);
			end("typedef", typedef__fprintf(tag, cu, &confs[0], begin()), false);
		}
		declared(tag, cu);
	}
	cu__for_each_type(cu, id, tag) {
		if (!tag__is_type(tag) && tag->tag != DW_TAG_array_type && tag->tag != DW_TAG_subroutine_type)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(confs); i++) {
			if (confs[i].show_decl_info && tag__decl_file(tag, cu) == NULL)
				continue;
			snprintf(what, sizeof(what), "%s %u so %zu", dwarf_tag_name(tag->tag), id, i);
			end(what, tag__fprintf(tag, cu, &confs[i], begin()), false);
		}
	}
	cu__for_each_function(cu, id, function) {
		tag = function__tag(function);
		/* No block, and the prototype is in a type of its own, which the C library finds for tag__fprintf only. */
		if (function->btf) {
			end("whole", tag__fprintf(tag, cu, NULL, begin()), true);
			continue;
		}
		printf("function %s: %s", function__name(function), function__prototype(function, cu, bf, sizeof(bf)));
		printf(" | %s\n", function__prototype_conf(function, cu, &confs[14], bf, sizeof(bf)));
		printf("short: %s\n", function__prototype(function, cu, bf, 12));
		end("whole", tag__fprintf(tag, cu, NULL, begin()), true);
		for (size_t i = 0; i < ARRAY_SIZE(confs); i++)
			end("so", tag__fprintf(tag, cu, &confs[i], begin()), false);
		end("stats", function__fprintf_stats(tag, cu, &confs[0], begin()), true);
		end("block", lexblock__fprintf(&function->lexblock, cu, function, 3, &confs[0], begin()), true);
		end("far block", lexblock__fprintf(&function->lexblock, cu, function, 30, &confs[0], begin()), false);
		end("type", ftype__fprintf(&function->proto, cu, "name", 1, 1, 12, true, &confs[0], begin()), true);
		end("type", ftype__fprintf(&function->proto, cu, NULL, 0, 0, 0, false, &confs[14], begin()), true);
		end("parameters", ftype__fprintf_parms(&function->proto, cu, 4, &confs[0], begin()), true);
		end("parameters", ftype__fprintf_parms(&function->proto, cu, 0, &confs[14], begin()), true);
	}
	cu__for_each_variable(cu, id, tag) {
		struct variable *variable = tag__variable(tag);

		printf("variable %s: %s, %s, size %zu\n", or_null(variable__name(variable)),
		       or_null(variable__type_name(variable, cu, bf, sizeof(bf))), variable__scope_str(variable),
		       tag->type ? tag__size(tag, cu) : 0);
		/* Of arrays behind volatile, the C library loses the elements: tests/cases/declarators has the right text. */
		if (!is_qualified_array(tag, cu))
			end("variable", tag__fprintf(tag, cu, NULL, begin()), true);
		declared(tag, cu);
	}
	return 0;
}

static void print_file(const char *path, struct conf_load *conf)
{
	struct cus *cus = cus__new();

	printf("print: %d\n", cus__load_file(cus, conf, path));
	cus__for_each_cu(cus, print_unit, NULL, NULL);
	cus__delete(cus);
}

static void print_errors(void)
{
	struct cu *cu = cu__new("unit", 8, NULL, 0, "file", true);
	uint32_t type_int = add_base_type(cu, "int", 32), id;
	struct class *cls = add_struct(cu, "broken", 16, &id);
	struct variable variable = { .name = "nowhere", .ip.tag = { .type = 700, .tag = DW_TAG_variable } };
	struct tag modifier = { .type = type_int, .tag = DW_TAG_atomic_type }, looped = { .type = 9, .tag = DW_TAG_pointer_type };
	struct tag other = { .type = 9, .tag = DW_TAG_const_type };
	struct conf_fprintf conf = { .cacheline_size = 0 };
	FILE *out;
	char bf[128];
	int result;

	add_member(cls, cu, "fine", type_int, 0, 4);
	end("one member", tag__fprintf(class__tag(cls), cu, NULL, begin()), true);
	printf("unknown: %s", or_null(variable__type_name(&variable, cu, bf, sizeof(bf))));
	printf(" | %s", tag__name(NULL, cu, bf, sizeof(bf), NULL));
	printf(" | %s\n", tag__name(&modifier, cu, bf, sizeof(bf), &conf));
	printf("loop: %d", __tag__has_type_loop(&looped, &other, bf, sizeof(bf), NULL, "function", 7));
	printf(" %s", bf);
	printf(" %d %d", __tag__has_type_loop(&looped, NULL, NULL, 0, NULL, "function", 8),
	       __tag__has_type_loop(&looped, &modifier, NULL, 0, NULL, "function", 9));
	out = begin();
	result = __tag__has_type_loop(&looped, &other, NULL, 0, out, "function", 10);
	end(" to a stream", (size_t)result, true);
	printf("short: %d", __tag__has_type_loop(&looped, &other, bf, 10, NULL, "function", 11));
	printf(" %s\n", bf);
	cu__delete(cu);
}

void test_printing(const char *folder)
{
	struct conf_load plain = { .use_obstack = true, .conf_fprintf = &loading }, conf = plain;
	char path[512], format[] = "btf", other[] = "ctf";

	conf.get_addr_info = conf.extra_dbg_info = true;
	dwarves__resolve_cacheline_size(NULL, 64);
	snprintf(path, sizeof(path), "%s/units.o", folder);
	print_file(path, &conf);
	print_file(path, &plain);
	snprintf(path, sizeof(path), "%s/formats.o", folder);
	plain.format_path = format;
	print_file(path, &plain);
	plain.format_path = other;
	print_file(path, &plain);
	print_errors();
}
