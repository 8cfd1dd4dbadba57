/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_RBTREE_H
#define _LINUX_RBTREE_H

/*
 * The inline half of the red-black trees. Finding a place and linking a node there is the program's own work; rb_insert_color()
 * comes after it. A node's first word is its parent's address with the colour in bit 0.
 */

#include "dwarves_types.h"

#define RB_RED 0
#define RB_BLACK 1

#ifndef container_of
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#endif

#define rb_parent(r) ((struct rb_node *)((r)->rb_parent_color & ~3UL))
#define rb_color(r) ((r)->rb_parent_color & 1)
#define rb_is_red(r) (!rb_color(r))
#define rb_is_black(r) rb_color(r)
#define rb_set_red(r) ((void)((r)->rb_parent_color &= ~1UL))
#define rb_set_black(r) ((void)((r)->rb_parent_color |= 1UL))

#define RB_ROOT (struct rb_root) { NULL, }
#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define RB_EMPTY_ROOT(root) ((root)->rb_node == NULL)
#define RB_EMPTY_NODE(node) (rb_parent(node) == node)
#define RB_CLEAR_NODE(node) (rb_set_parent(node, node))

static inline void rb_set_parent(struct rb_node *node, struct rb_node *parent)
{
	node->rb_parent_color = (unsigned long)parent | (node->rb_parent_color & 3);
}

static inline void rb_set_color(struct rb_node *node, int color)
{
	node->rb_parent_color = (node->rb_parent_color & ~1UL) | (unsigned long)color;
}

/* Hangs a red leaf at *link, a child pointer of parent or the root's. */
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	node->rb_parent_color = (unsigned long)parent;
	node->rb_right = node->rb_left = NULL;
	*link = node;
}

#endif
