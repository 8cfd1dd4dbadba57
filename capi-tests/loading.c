/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading files, what programs decide about units, and finding things in what was loaded. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

extern struct debug_fmt_ops btf__ops, ctf__ops, dwarf__ops;
int ctf__load_file(struct cus *cus, struct conf_load *conf, const char *filename);
bool variable_in_sec(struct btf_encoder *encoder, const char *name, size_t shndx);

/* The C library takes the size of a cache line from here when it loads BTF, and does not look whether there is one. */
static struct conf_fprintf printing = { .cacheline_size = 64 };

static const char *name_of(const struct cu *cu)
{
	const char *slash = strrchr(cu->name, '/');

	return slash ? slash + 1 : cu->name;
}

static enum load_steal_kind steal(struct cu *cu, struct conf_load *conf)
{
	enum load_steal_kind *answer = conf->cookie;

	printf(" %s:%u", name_of(cu), cu->types_table.nr_entries);
	return *answer;
}

static struct cu *not_sample(struct cu *cu)
{
	printf(" (%s)", name_of(cu));
	return strcmp(name_of(cu), "sample.c") == 0 ? NULL : cu;
}

static int show(struct cu *cu, void *cookie)
{
	printf(" %s %u/%u/%u %s%s", name_of(cu), cu->types_table.nr_entries, cu->functions_table.nr_entries,
	       cu->tags_table.nr_entries, cu->dfops ? cu->dfops->name : "none", cookie ? "!" : "");
	return 0;
}

static void load(const char *what, const char *path, struct conf_load *conf)
{
	struct cus *cus = cus__new();
	int result;

	printf("%s:", what);
	result = cus__load_file(cus, conf, path);
	printf(" = %d:", result);
	cus__for_each_cu(cus, show, NULL, NULL);
	printf("\n");
	cus__delete(cus);
}

static void test_stealing(const char *units)
{
	static const char *const kinds[] = { "keep", "delete", "stop", "abort" };
	enum load_steal_kind answer;
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing, .nr_jobs = 1, .steal = steal, .cookie = &answer };

	for (answer = LSK__KEEPIT; answer <= LSK__ABORT; answer++)
		load(kinds[answer], units, &conf);
	conf.early_cu_filter = not_sample;
	answer = LSK__KEEPIT;
	load("filtered", units, &conf);
	conf.steal = NULL;
	load("filtered, not stolen", units, &conf);
}

static void test_formats(const char *units, const char *formats)
{
	static const char *const paths[] = { "dwarf", "btf", "ctf", "btf,ctf,dwarf", "ctf,btf", "dwarf,ctf" };
	char path[32];
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing, .format_path = path };

	printf("formats: %s %s %s\n", btf__ops.name, ctf__ops.name, dwarf__ops.name);
	printf("alignment: %d %d %d\n", btf__ops.has_alignment_info, ctf__ops.has_alignment_info, dwarf__ops.has_alignment_info);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		strcpy(path, paths[i]);
		load(paths[i], units, &conf);
		strcpy(path, paths[i]);
		load(paths[i], formats, &conf);
	}
	conf.format_path = NULL;
	load("default", formats, &conf);
	load("missing", "/nonexistent/file", &conf);
	{
		struct cus *cus = cus__new();
		int results[] = { ctf__load_file(cus, &conf, formats), btf__ops.load_file(cus, &conf, formats),
				  dwarf__ops.load_file(cus, &conf, units), ctf__load_file(cus, &conf, "/nonexistent/file") };

		printf("loaders: %d %d %d %d:", results[0], results[1], results[2], results[3]);
		cus__for_each_cu(cus, show, cus, NULL);
		printf("\n");
		cus__delete(cus);
	}
}

static void test_many(char *units, char *formats, const char *folder)
{
	struct cus *cus = cus__new();
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing };
	char missing[] = "/nonexistent/file";
	char *files[] = { units, formats, NULL }, *wrong[] = { formats, missing, units, NULL }, *none[] = { NULL };

	printf("files: %d", cus__load_files(cus, &conf, files));
	printf(" %u", cus__nr_entries(cus));
	printf(" %d", cus__load_files(cus, &conf, wrong));
	printf(" %u", cus__nr_entries(cus));
	printf(" %d\n", cus__load_files(cus, &conf, none));
	cus__delete(cus);

	cus = cus__new();
	printf("folder: %d", cus__load_dir(cus, &conf, folder, "units.o", 0));
	printf(" %u", cus__nr_entries(cus));
	printf(" %d", cus__load_dir(cus, &conf, folder, "*.nothing", 1));
	printf(" %d", cus__load_dir(cus, &conf, folder, "deep*.o", 0));
	printf(" %u", cus__nr_entries(cus));
	printf(" %d", cus__load_dir(cus, &conf, folder, "deep*.o", 1));
	printf(" %u", cus__nr_entries(cus));
	printf(" %d\n", cus__load_dir(cus, &conf, "/nonexistent/folder", "*", 1));
	cus__delete(cus);
}

static void test_finding(const char *units)
{
	struct cus *cus = cus__new();
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing, .get_addr_info = true, .extra_dbg_info = true };
	struct function *function;
	struct cu *cu = NULL;
	struct tag *tag;
	char name[64];
	uint32_t id = 0;

	cus__load_file(cus, &conf, units);
	tag = cus__find_struct_by_name(cus, &cu, "second", 0, &id);
	printf("struct: %s in %s, id %u\n", class__name(tag__class(tag)), name_of(cu), id);
	cu = NULL;
	printf("forward: %p", (void *)cus__find_struct_by_name(cus, &cu, "forward", 0, &id));
	printf(" %d %u\n", cus__find_struct_by_name(cus, &cu, "forward", 1, &id) != NULL, id);
	cus__lock(cus);
	cus__unlock(cus);
	for (uint64_t address = 0; address < 0x80; address += 0x10) {
		cu = NULL;
		function = cus__find_function_at_addr(cus, address, &cu);
		printf("at %#x: %s in %s\n", (unsigned int)address, function ? function__name(function) : "none",
		       cu ? name_of(cu) : "none");
	}
	tag = cus__find_struct_by_name(cus, &cu, "outer", 0, &id);
	printf("outer: size %zu, alignment %zu, embedded %d, by name %d, type %d\n", tag__size(tag, cu), tag__natural_alignment(tag, cu),
	       class__has_embedded_flexible_array(tag__class(tag), cu), cu__find_struct_by_name(cu, "outer", 0, NULL) == tag,
	       cu__find_type_by_name(cu, "callback_t", 0, &id) == cu__type(cu, id));
	tag = cu__find_struct_by_name(cu, "flexible", 0, NULL);
	printf("flexible: %d\n", class__has_flexible_array(tag__class(tag), cu));
	tag = cu__find_struct_by_name(cu, "holder", 0, NULL);
	printf("holder: %d %d\n", class__has_flexible_array(tag__class(tag), cu),
	       class__has_embedded_flexible_array(tag__class(tag), cu));
	tag = cu__find_struct_by_name(cu, "packed", 0, NULL);
	printf("packed: %d\n", class__infer_packed_attributes(tag__class(tag), cu));
	tag = cu__find_base_type_by_name(cu, "long int", &id);
	printf("base: %u %s\n", id, tag ? base_type__name(tag__base_type(tag), name, sizeof(name)) : "none");
	tag = cu__find_enumeration_by_name(cu, "shape", &id);
	printf("enumeration: %u, signed %d\n", id, tag__type(tag)->is_signed_enum);
	tag = cu__find_function_by_name(cu, "visit");
	function = tag__function(tag);
	printf("visit: %#lx, %d bytes, at %d, parameters %d %d\n", (long)function->lexblock.ip.addr, function__size(function),
	       cu__find_function_at_addr(cu, function->lexblock.ip.addr) == function, function->proto.nr_parms,
	       ftype__has_parm_of_type(&function->proto, 0, cu));
	cu__account_inline_expansions(cu);
	printf("expansions: %lu of %zu\n", cu->nr_inline_expansions, cu->size_inline_expansions);
	cus__delete(cus);
}

static int next_tag(struct tag *tag, struct cu *cu, void *cookie)
{
	int *count = cookie;

	printf(" %s%s%u", tag->top_level ? "^" : "", dwarf_tag_name(tag->tag), tag->type);
	return cu == NULL || ++*count == 400;
}

static int walk(struct cu *cu, void *cookie)
{
	int count = 0;

	printf("walk %s:", name_of(cu));
	printf(" = %d", cu__for_all_tags(cu, next_tag, &count));
	printf(", %d tags\n", count);
	return cookie != NULL;
}

static void test_walking(const char *units, const char *formats)
{
	struct cus *cus = cus__new();
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing };

	cus__load_file(cus, &conf, units);
	cus__load_file(cus, &conf, formats);
	cus__for_each_cu(cus, walk, NULL, NULL);
	cus__delete(cus);
}

static struct btf_encoder *encoder;
static char detached[] = "detached.btf";

static enum load_steal_kind encode(struct cu *cu, struct conf_load *conf)
{
	if (encoder == NULL)
		encoder = btf_encoder__new(cu, detached, NULL, false, conf);
	printf(" %s %d", name_of(cu), encoder ? btf_encoder__encode_cu(encoder, cu, conf) : -2);
	/* The loader of BTF leaves to the program what it stole. */
	if (cu->dfops == &btf__ops)
		cu__delete(cu);
	return LSK__DELETE;
}

static void test_encoding(const char *units, const char *formats)
{
	struct conf_load conf = { .use_obstack = true, .conf_fprintf = &printing, .steal = encode, .get_addr_info = true, .ignore_labels = true,
				  .ignore_inline_expansions = true, .ignore_alignment_attr = true };
	struct cus *cus = cus__new();
	unsigned char bytes[4096];
	uint32_t hash = 0;
	ssize_t length;
	int fd;

	printf("encode:");
	printf(" = %d", cus__load_file(cus, &conf, units));
	if (encoder) {
		for (size_t section = 0; section < 24; section++) {
			if (variable_in_sec(encoder, "global_number", section))
				printf(", number in %zu", section);
			if (variable_in_sec(encoder, "second_variable", section))
				printf(", second in %zu", section);
			if (variable_in_sec(encoder, "visit", section) || variable_in_sec(encoder, "nothing", section))
				printf(", function in %zu", section);
		}
		printf(", written %d\n", btf_encoder__encode(encoder, &conf));
	}
	/* The old file may have been replaced. */
	fd = open(detached, O_RDONLY);
	length = read(fd, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < length; i++)
		hash = hash * 31 + bytes[i];
	printf("%zd bytes of BTF, %08x\n", length, hash);
	close(fd);
	btf_encoder__delete(encoder);
	btf_encoder__delete(NULL);
	encoder = NULL;
	load("detached", detached, &(struct conf_load){ .use_obstack = true, .conf_fprintf = &printing });
	printf("from BTF:");
	printf(" = %d\n", cus__load_file(cus, &(struct conf_load){ .use_obstack = true, .conf_fprintf = &printing, .steal = encode },
					 formats));
	unlink(detached);
	cus__delete(cus);
}

void test_loading(const char *folder)
{
	char units[512], formats[512], deep[512];

	snprintf(units, sizeof(units), "%s/units.o", folder);
	snprintf(formats, sizeof(formats), "%s/formats.o", folder);
	snprintf(deep, sizeof(deep), "%s/deep", folder);
	test_stealing(units);
	test_formats(units, formats);
	test_many(units, formats, folder);
	test_finding(units);
	test_walking(units, formats);
	test_encoding(units, formats);
}
