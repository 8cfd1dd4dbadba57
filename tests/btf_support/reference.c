/*
 * Runs a script of BTF operations on libbpf and writes down what it did.
 *
 * Usage: reference LIBBPF SCRIPT > TRANSCRIPT
 *
 * The script has one operation a line, fields separated by blanks, "-" for an empty name. The transcript has, for each line, the
 * returned number as 32 bits, and for operations that give out a BTF its length as 32 bits and its bytes. The library is opened at
 * run time, so that this needs neither its headers nor its development package.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct btf;

struct dedup_opts {
	size_t sz;
	void *ext;
	bool force_collisions;
};

static void *lib;

static void *need(const char *name)
{
	void *p = dlsym(lib, name);

	if (!p) {
		fprintf(stderr, "reference: %s is not in the library\n", name);
		exit(2);
	}
	return p;
}

#define CALL(ret, name, params) ((ret (*) params)need(name))

static void put(int32_t v)
{
	fwrite(&v, 4, 1, stdout);
}

static void put_raw(struct btf *btf)
{
	uint32_t size = 0;
	const void *data = CALL(const void *, "btf__raw_data", (struct btf *, uint32_t *))(btf, &size);

	put(size);
	fwrite(data, 1, size, stdout);
}

static struct btf *load(const void *data, uint32_t size, struct btf *base)
{
	return CALL(struct btf *, "btf__new_split", (const void *, uint32_t, struct btf *))(data, size, base);
}

static struct btf *load_file(const char *path, struct btf *base)
{
	FILE *f = fopen(path, "rb");
	struct btf *btf;
	char *data;
	long size;

	if (!f) {
		perror(path);
		exit(2);
	}
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	data = malloc(size + 1);
	if (!data || fread(data, 1, size, f) != (size_t)size)
		exit(2);
	fclose(f);
	btf = load(data, size, base);
	free(data);
	return btf;
}

static int silent(int level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static struct btf *cur, *base;

static void release(struct btf *btf)
{
	CALL(void, "btf__free", (struct btf *))(btf);
}

/* Replaces the current BTF; -errno when there is none to replace it. */
static int become(struct btf *btf)
{
	int err = -errno;

	if (!btf)
		return err;
	cur = btf;
	return 0;
}

/* Name, then up to three numbers. */
static int run(const char *op, const char *n, long a, long b, long c)
{
	if (!strcmp(op, "new")) {
		if (base && base != cur)
			release(base);
		if (cur)
			release(cur);
		base = cur = NULL;
		return become(CALL(struct btf *, "btf__new_empty", (void))());
	}
	if (!strcmp(op, "split")) {
		base = cur;
		return become(CALL(struct btf *, "btf__new_empty_split", (struct btf *))(base));
	}
	if (!strcmp(op, "load"))
		return become(load_file(n, NULL));
	if (!strcmp(op, "load_split")) {
		base = cur;
		return become(load_file(n, base));
	}
	if (!strcmp(op, "reload")) {
		uint32_t size = 0;
		const void *data = CALL(const void *, "btf__raw_data", (struct btf *, uint32_t *))(cur, &size);

		return become(load(data, size, base));
	}
	if (!strcmp(op, "endian"))
		return CALL(int, "btf__set_endianness", (struct btf *, int))(cur, a);
	if (!strcmp(op, "raw")) {
		put_raw(cur);
		return 0;
	}
	if (!strcmp(op, "dedup")) {
		struct dedup_opts opts = { .sz = sizeof(opts), .force_collisions = a };

		return CALL(int, "btf__dedup", (struct btf *, struct dedup_opts *))(cur, &opts);
	}
	if (!strcmp(op, "distill")) {
		struct btf *new_base, *new_split;
		int err = CALL(int, "btf__distill_base", (struct btf *, struct btf **, struct btf **))(cur, &new_base, &new_split);

		if (err)
			return err;
		put_raw(new_split);
		put_raw(new_base);
		release(new_split);
		release(new_base);
		return 0;
	}
	if (!strcmp(op, "relocate"))
		return CALL(int, "btf__relocate", (struct btf *, struct btf *))(cur, load_file(n, NULL));
	if (!strcmp(op, "add_str"))
		return CALL(int, "btf__add_str", (struct btf *, const char *))(cur, n);
	if (!strcmp(op, "int"))
		return CALL(int, "btf__add_int", (struct btf *, const char *, size_t, int))(cur, n, a, b);
	if (!strcmp(op, "float"))
		return CALL(int, "btf__add_float", (struct btf *, const char *, size_t))(cur, n, a);
	if (!strcmp(op, "ptr"))
		return CALL(int, "btf__add_ptr", (struct btf *, int))(cur, a);
	if (!strcmp(op, "const"))
		return CALL(int, "btf__add_const", (struct btf *, int))(cur, a);
	if (!strcmp(op, "volatile"))
		return CALL(int, "btf__add_volatile", (struct btf *, int))(cur, a);
	if (!strcmp(op, "restrict"))
		return CALL(int, "btf__add_restrict", (struct btf *, int))(cur, a);
	if (!strcmp(op, "typedef"))
		return CALL(int, "btf__add_typedef", (struct btf *, const char *, int))(cur, n, a);
	if (!strcmp(op, "type_tag"))
		return CALL(int, "btf__add_type_tag", (struct btf *, const char *, int))(cur, n, a);
	if (!strcmp(op, "type_attr"))
		return CALL(int, "btf__add_type_attr", (struct btf *, const char *, int))(cur, n, a);
	if (!strcmp(op, "func"))
		return CALL(int, "btf__add_func", (struct btf *, const char *, int, int))(cur, n, a, b);
	if (!strcmp(op, "fwd"))
		return CALL(int, "btf__add_fwd", (struct btf *, const char *, int))(cur, n, a);
	if (!strcmp(op, "array"))
		return CALL(int, "btf__add_array", (struct btf *, int, int, uint32_t))(cur, a, b, c);
	if (!strcmp(op, "struct"))
		return CALL(int, "btf__add_struct", (struct btf *, const char *, uint32_t))(cur, n, a);
	if (!strcmp(op, "union"))
		return CALL(int, "btf__add_union", (struct btf *, const char *, uint32_t))(cur, n, a);
	if (!strcmp(op, "field"))
		return CALL(int, "btf__add_field", (struct btf *, const char *, int, uint32_t, uint32_t))(cur, n, a, b, c);
	if (!strcmp(op, "enum"))
		return CALL(int, "btf__add_enum", (struct btf *, const char *, uint32_t))(cur, n, a);
	if (!strcmp(op, "enum_value"))
		return CALL(int, "btf__add_enum_value", (struct btf *, const char *, int64_t))(cur, n, a);
	if (!strcmp(op, "enum64"))
		return CALL(int, "btf__add_enum64", (struct btf *, const char *, uint32_t, bool))(cur, n, a, b);
	if (!strcmp(op, "enum64_value"))
		return CALL(int, "btf__add_enum64_value", (struct btf *, const char *, uint64_t))(cur, n, a);
	if (!strcmp(op, "func_proto"))
		return CALL(int, "btf__add_func_proto", (struct btf *, int))(cur, a);
	if (!strcmp(op, "func_param"))
		return CALL(int, "btf__add_func_param", (struct btf *, const char *, int))(cur, n, a);
	if (!strcmp(op, "var"))
		return CALL(int, "btf__add_var", (struct btf *, const char *, int, int))(cur, n, a, b);
	if (!strcmp(op, "datasec"))
		return CALL(int, "btf__add_datasec", (struct btf *, const char *, uint32_t))(cur, n, a);
	if (!strcmp(op, "secinfo"))
		return CALL(int, "btf__add_datasec_var_info", (struct btf *, int, uint32_t, uint32_t))(cur, a, b, c);
	if (!strcmp(op, "decl_tag"))
		return CALL(int, "btf__add_decl_tag", (struct btf *, const char *, int, int))(cur, n, a, b);
	if (!strcmp(op, "decl_attr"))
		return CALL(int, "btf__add_decl_attr", (struct btf *, const char *, int, int))(cur, n, a, b);
	fprintf(stderr, "reference: unknown operation '%s'\n", op);
	exit(2);
}

int main(int argc, char **argv)
{
	char line[4096], op[32], name[4000];
	FILE *script;

	if (argc != 3)
		return 2;
	lib = dlopen(argv[1], RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "reference: %s\n", dlerror());
		return 2;
	}
	CALL(void *, "libbpf_set_print", (void *))(silent);
	script = fopen(argv[2], "r");
	if (!script) {
		perror(argv[2]);
		return 2;
	}
	while (fgets(line, sizeof(line), script)) {
		long a = 0, b = 0, c = 0;

		if (sscanf(line, "%31s %3999s %ld %ld %ld", op, name, &a, &b, &c) < 2)
			continue;
		if (!strcmp(name, "-"))
			name[0] = '\0';
		put(run(op, name, a, b, c));
	}
	return 0;
}
