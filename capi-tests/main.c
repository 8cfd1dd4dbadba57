/* SPDX-License-Identifier: GPL-2.0-only */
#include "test.h"

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	dwarves__init();
	test_containers();
	test_languages();
	test_units();
	test_tags();
	test_layouts();
	test_ctf();
	dwarves__exit();
	return 0;
}
