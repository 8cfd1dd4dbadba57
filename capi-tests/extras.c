// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names that the C library does not have, looked up at run time: on a library without them this says so and succeeds. Encodes
 * the file it is given (an object with DWARF), once on its own and once split from that.
 *
 *   extras OBJECT UNITS
 *
 * UNITS is the file of the behaviour test.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "headers.h"

#define CHECK(what)                                                              \
	do {                                                                     \
		if (!(what)) {                                                   \
			printf("extras: line %d: %s\n", __LINE__, #what);        \
			exit(1);                                                 \
		}                                                                \
	} while (0)

void test_odd(const char *units);

static int (*init)(void);
static void (*leave)(void);
static int (*pre_load)(Dwfl_Module *mod, Elf *elf);
static struct btf *(*btf_of)(struct btf_encoder *encoder);

static uint32_t (*type_cnt)(const struct btf *btf);
static const void *(*raw_data)(const struct btf *btf, uint32_t *size);
static size_t (*pointer_size)(const struct btf *btf);

static struct btf_encoder *encoder;
static struct btf *base;

static void find(void *address, const char *name, void *library)
{
	void *found = dlsym(library, name);

	memcpy(address, &found, sizeof(found));
}

static enum load_steal_kind steal(struct cu *cu, struct conf_load *conf)
{
	if (encoder == NULL)
		encoder = btf_encoder__new(cu, "/dev/null", base, false, conf);
	CHECK(encoder != NULL);
	CHECK(btf_encoder__encode_cu(encoder, cu, conf) == 1);
	return LSK__DELETE;
}

static void encode(const char *path)
{
	char format[] = "dwarf";
	struct conf_fprintf printing = { .cacheline_size = 64 };
	struct conf_load conf = {
		.steal = steal,
		.format_path = format,
		.use_obstack = true,
		.get_addr_info = true,
		.ignore_alignment_attr = true,
		.ignore_inline_expansions = true,
		.ignore_labels = true,
		.conf_fprintf = &printing,
	};
	struct cus *cus = cus__new();

	CHECK(cus__load_file(cus, &conf, path) == 0);
	CHECK(encoder != NULL);
	cus__delete(cus);
}

static void pre_load_modules(const char *path)
{
	void *libelf = dlopen("libelf.so.1", RTLD_NOW | RTLD_GLOBAL);
	unsigned int (*version)(unsigned int);
	Elf *(*begin)(int, Elf_Cmd, Elf *);
	int (*end)(Elf *);

	CHECK(libelf != NULL);
	find(&version, "elf_version", libelf);
	find(&begin, "elf_begin", libelf);
	find(&end, "elf_end", libelf);
	version(EV_CURRENT);

	int fd = open(path, O_RDONLY);
	Elf *elf = begin(fd, ELF_C_READ, NULL);

	CHECK(elf != NULL);
	CHECK(pre_load(NULL, elf) == 0);
	CHECK(pre_load(NULL, NULL) == -1);
	end(elf);
	close(fd);
}

int main(int argc, char *argv[])
{
	find(&init, "btf_encoding_context__init", RTLD_DEFAULT);
	find(&leave, "btf_encoding_context__exit", RTLD_DEFAULT);
	find(&pre_load, "btf_encoder__pre_load_module", RTLD_DEFAULT);
	find(&btf_of, "btf_encoder__btf", RTLD_DEFAULT);
	if (init == NULL || leave == NULL || pre_load == NULL || btf_of == NULL) {
		printf("extras: not in this library\n");
		return 0;
	}
	CHECK(argc == 3);
	test_odd(argv[2]);

	leave(); /* says that there is no context */
	CHECK(pre_load(NULL, NULL) == -1);
	CHECK(init() == 0);
	CHECK(init() == -1); /* says so */
	pre_load_modules(argv[1]);
	CHECK(btf_of(NULL) == NULL);

	encode(argv[1]);
	CHECK(btf_of(encoder) == NULL); /* says that libbpf is not there */

	void *libbpf = dlopen("libbpf.so.1", RTLD_NOW | RTLD_GLOBAL);

	CHECK(libbpf != NULL);
	find(&type_cnt, "btf__type_cnt", libbpf);
	find(&raw_data, "btf__raw_data", libbpf);
	find(&pointer_size, "btf__pointer_size", libbpf);

	struct btf *early = btf_of(encoder);

	CHECK(early != NULL && early == btf_of(encoder));
	CHECK(pointer_size(early) == sizeof(void *));
	CHECK(type_cnt(early) > 1);

	struct conf_load conf = { .steal = NULL };

	CHECK(btf_encoder__encode(encoder, &conf) == 0);
	base = btf_of(encoder);

	uint32_t size = 0, types = type_cnt(base);

	CHECK(base != early && types > 1 && type_cnt(early) > 1);
	CHECK(raw_data(base, &size) != NULL && size > 24);

	if (dlsym(libbpf, "btf__new_split") == NULL) {
		printf("extras: passed, but for split BTF, which this libbpf cannot make\n");
		return 0;
	}
	/* The same file on top of itself has nothing new but what is never shared: functions and variables. */
	struct btf_encoder *first = encoder;

	encoder = NULL;
	encode(argv[1]);
	CHECK(btf_encoder__encode(encoder, &conf) == 0);

	struct btf *split = btf_of(encoder);

	CHECK(split != NULL && type_cnt(split) >= types);
	btf_encoder__delete(encoder);
	(void)first; /* goes with the context */
	leave();
	CHECK(init() == 0);
	leave();
	printf("extras: passed\n");
	return 0;
}
