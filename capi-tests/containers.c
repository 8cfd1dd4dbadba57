/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees, lists of strings, buffers, small helpers. */
#include <unistd.h>

#include "test.h"

struct number {
	struct rb_node rb_node;
	unsigned int value;
	bool linked;
};

static void insert(struct rb_root *root, struct number *number)
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = number->value < rb_entry(parent, struct number, rb_node)->value ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&number->rb_node, parent, link);
	rb_insert_color(&number->rb_node, root);
	number->linked = true;
}

/* Number of black nodes to the leaves, -1 for a tree whose rules are broken. The shape goes into the hash. */
static int check(const struct rb_node *node, const struct rb_node *parent, unsigned int *hash)
{
	int left, right;

	*hash = *hash * 31 + 7;
	if (node == NULL)
		return 0;
	*hash = *hash * 31 + rb_entry(node, struct number, rb_node)->value * 2 + rb_is_red(node);
	if (rb_parent(node) != parent || (parent && rb_is_red(parent) && rb_is_red(node)))
		return -1;
	left = check(node->rb_left, node, hash);
	right = check(node->rb_right, node, hash);
	return left < 0 || left != right ? -1 : left + (int)rb_is_black(node);
}

static void test_tree(void)
{
	static struct number numbers[500];
	struct number stand_in = { .value = 0 };
	struct rb_root root = RB_ROOT;
	unsigned int state = 1, hash;
	struct rb_node *node;
	int count = 0, height;

	printf("empty: %p %p\n", (void *)rb_first(&root), (void *)rb_last(&root));
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 300; i++) {
			struct number *number = &numbers[next_random(&state) % 500];

			if (number->linked) {
				rb_erase(&number->rb_node, &root);
				number->linked = false;
				count--;
			} else {
				number->value = next_random(&state) % 1000;
				insert(&root, number);
				count++;
			}
		}
		hash = 0;
		height = check(root.rb_node, NULL, &hash);
		printf("round %d: %d nodes, black height %d, shape %08x\n", round, count, height, hash);
	}
	count = 0;
	for (node = rb_first(&root); node; node = rb_next(node))
		count++;
	for (node = rb_last(&root); node; node = rb_prev(node))
		count--;
	printf("forward less backward: %d\n", count);
	node = rb_next(rb_first(&root));
	stand_in.value = rb_entry(node, struct number, rb_node)->value;
	rb_replace_node(node, &stand_in.rb_node, &root);
	hash = 0;
	height = check(root.rb_node, NULL, &hash);
	printf("replaced: %d %d, shape %08x\n", rb_next(rb_first(&root)) == &stand_in.rb_node, height, hash);
	while ((node = root.rb_node) != NULL) {
		rb_erase(node, &root);
		hash = hash * 31 + rb_entry(node, struct number, rb_node)->value;
	}
	RB_CLEAR_NODE(&stand_in.rb_node);
	printf("drained %08x, cleared: %p\n", hash, (void *)rb_next(&stand_in.rb_node));
}

static void print(const char *what, struct strlist *list)
{
	struct str_node *pos, *n;

	printf("%s:", what);
	strlist__for_each_entry_safe(list, pos, n)
		printf(" %s", pos->s);
	for (struct rb_node *node = rb_first(&list->entries); node; node = rb_next(node))
		printf(" <%s>", rb_entry(node, struct str_node, rb_node)->s);
	printf("\n");
}

static void test_strings(void)
{
	struct strlist *list = strlist__new(true);
	char name[] = "/tmp/capi-tests-XXXXXX";
	char buffer[] = "pear";
	FILE *file;

	printf("add: %d", strlist__add(list, buffer));
	printf(" %d", strlist__add(list, "apple"));
	printf(" %d", strlist__add(list, "pear"));
	printf(" %d\n", __strlist__add(list, "plum", list));
	memset(buffer, 'x', 4);
	print("list", list);
	printf("has: %d %d %d\n", strlist__has_entry(list, "plum"), strlist__has_entry(list, "Plum"),
	       strlist__has_entry(list, ""));
	strlist__remove(list, rb_entry(rb_first(&list->entries), struct str_node, rb_node));
	print("removed", list);
	file = fdopen(mkstemp(name), "w");
	fputs("one\ntwo\n\nthree!", file);
	fclose(file);
	printf("load: %d", strlist__load(list, name));
	printf(" %d %d\n", strlist__load(list, name), strlist__load(list, "/nonexistent"));
	unlink(name);
	print("loaded", list);
	strlist__delete(list);
	strlist__delete(NULL);

	list = strlist__new(false);
	printf("empty: %d\n", strlist__empty(list));
	strlist__add(list, buffer);
	printf("not copied: %d %d\n", rb_entry(rb_first(&list->entries), struct str_node, rb_node)->s == buffer,
	       strlist__empty(list));
	strlist__delete(list);
}

static void test_buffer(void)
{
	struct gobuffer gb = { .index = 1 };
	char copy[64] = "";

	printf("buffer: %p", gobuffer__ptr(&gb, 0));
	printf(" %d", gobuffer__add(&gb, "hello", 6));
	printf(" %d", gobuffer__allocate(&gb, 10));
	printf(" %d", gobuffer__add(&gb, "world", 6));
	printf(" %d\n", gobuffer__allocate(&gb, 100000));
	printf("%s %u entries, %u bytes, %u allocated\n", (char *)gobuffer__ptr(&gb, 17), gobuffer__nr_entries(&gb),
	       gobuffer__size(&gb), gb.allocated_size);
	gb.index = 23;
	gobuffer__copy(&gb, copy);
	printf("copy: %s %s\n", copy + 1, copy + 17);
	__gobuffer__delete(&gb);
	printf("deleted: %p\n", (void *)gb.entries);
	__gobuffer__delete(NULL);
}

void test_containers(void)
{
	char text[] = "Some MIXED Text 123";
	char *zeroes = zalloc(16), *none = NULL;

	test_tree();
	test_strings();
	test_buffer();
	printf("strlwr: %s\n", strlwr(text));
	printf("zalloc: %d\n", zeroes[0] | zeroes[15]);
	zfree(&zeroes);
	zfree(&none);
	printf("zfree: %p %p\n", (void *)zeroes, (void *)none);
	printf("tabs: %zu, recode off: %d, numeric: %d\n", strlen(tabs), no_bitfield_type_recode, print_numeric_version);
	printf("objcopy: %d %d %d\n", exec_objcopy("true", "a=b", "c"), exec_objcopy("false", "a=b", "c"),
	       exec_objcopy("no-such-tool-anywhere", "a=b", "c"));
}
