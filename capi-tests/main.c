/* SPDX-License-Identifier: GPL-2.0-only */
#include <unistd.h>

#include "test.h"

int main(int argc, char *argv[])
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Paths stand in messages. */
	if (argc != 2 || chdir(argv[1]) != 0)
		return 2;
	dwarves__init();
	test_containers();
	test_languages();
	test_units();
	test_tags();
	test_layouts();
	test_ctf();
	test_trees();
	test_elf(".");
	test_loading(".");
	test_printing(".");
	test_companions(".");
	dwarves__exit();
	return 0;
}
