/* SPDX-License-Identifier: GPL-2.0-only */
/* The buffers of a CTF writer, byte by byte. */
#include "test.h"

static void dump(const char *what, struct gobuffer *gb)
{
	const unsigned char *bytes = gobuffer__entries(gb);

	printf("%s: %u entries", what, gobuffer__nr_entries(gb));
	for (unsigned int i = 1; i < gobuffer__size(gb); i++)
		printf("%s%02x", i % 4 == 1 ? " " : "", bytes[i]);
	printf("\n");
}

void test_ctf(void)
{
	struct ctf ctf = { .swapped = 0, .in_fd = -1 };
	int64_t position = 0;
	uint16_t half = 0;
	uint32_t word = 0;

	ctf.objects.index = ctf.types.index = ctf.funcs.index = 1;
	printf("ids: %u", ctf__add_base_type(&ctf, 1, 32));
	printf(" %u", ctf__add_short_type(&ctf, CTF_TYPE_KIND_PTR, 1, 0));
	printf(" %u", ctf__add_fwd_decl(&ctf, 5));
	printf(" %u", ctf__add_array(&ctf, 1, 1, 10));
	printf(" %u", ctf__add_struct(&ctf, CTF_TYPE_KIND_STR, 9, 8, 2, &position));
	ctf__add_short_member(&ctf, 11, 1, 0, &position);
	ctf__add_short_member(&ctf, 12, 1, 32, &position);
	printf(" %u", ctf__add_struct(&ctf, CTF_TYPE_KIND_UNION, 9, 0x12345678, 1, &position));
	ctf__add_full_member(&ctf, 13, 1, 0x123456789ULL, &position);
	printf(" %u", ctf__add_enumeration_type(&ctf, 14, 4, 2, &position));
	ctf__add_enumerator(&ctf, 15, 7, &position);
	ctf__add_enumerator(&ctf, 16, 8, &position);
	printf(" %u", ctf__add_function_type(&ctf, 1, 2, true, &position));
	ctf__add_parameter(&ctf, 1, &position);
	ctf__add_parameter(&ctf, 2, &position);
	position = gobuffer__size(&ctf.types) - 2;
	ctf__add_parameter(&ctf, 0, &position);
	printf("\nfunction: %d", ctf__add_function(&ctf, 1, 1, true, &position));
	ctf__add_function_parameter(&ctf, 2, &position);
	printf(", object: %d\n", ctf__add_object(&ctf, 2));
	dump("types", &ctf.types);
	dump("functions", &ctf.funcs);
	dump("objects", &ctf.objects);
	ctf.swapped = 1;
	ctf__put16(&ctf, &half, 0x1234);
	ctf__put32(&ctf, &word, 0x12345678);
	printf("swapped: %x %x %x %x\n", half, word, ctf__get16(&ctf, &half), ctf__get32(&ctf, &word));
	printf("strings: %s %p %zu\n", ctf__string(&ctf, 0x80000001), ctf__get_buffer(&ctf), ctf__get_size(&ctf));
	__gobuffer__delete(&ctf.types);
	__gobuffer__delete(&ctf.funcs);
	__gobuffer__delete(&ctf.objects);
}
