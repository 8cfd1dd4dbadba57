/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H

/*
 * The inline half of the lists: circular ones with a head that points at itself when empty, and hash chains that end in NULL.
 * An entry is the structure around a node; iterations stop when they are back at the head. The "safe" ones fetch the next entry
 * before the body runs, so that the body may unlink the current one.
 */

#include "dwarves_types.h"

#ifndef __cplusplus

#ifndef container_of
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
#endif

/* What unlinked nodes point at. */
#define LIST_POISON1 ((void *)0x00100100)
#define LIST_POISON2 ((void *)0x00200200)

#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list->prev = list;
}

static inline void __list_add(struct list_head *node, struct list_head *prev, struct list_head *next)
{
	node->prev = prev;
	node->next = next;
	prev->next = next->prev = node;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	__list_add(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	__list_add(node, head->prev, head);
}

static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	prev->next = next;
	next->prev = prev;
}

static inline void list_del(struct list_head *node)
{
	__list_del(node->prev, node->next);
	node->next = (struct list_head *)LIST_POISON1;
	node->prev = (struct list_head *)LIST_POISON2;
}

static inline void list_del_init(struct list_head *node)
{
	__list_del(node->prev, node->next);
	INIT_LIST_HEAD(node);
}

/* Takes out the nodes from begin to end. */
static inline void list_del_range(struct list_head *begin, struct list_head *end)
{
	__list_del(begin->prev, end->next);
}

static inline void list_replace(struct list_head *old, struct list_head *node)
{
	__list_add(node, old->prev, old->next);
}

static inline void list_replace_init(struct list_head *old, struct list_head *node)
{
	list_replace(old, node);
	INIT_LIST_HEAD(old);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	__list_del(node->prev, node->next);
	list_add(node, head);
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	__list_del(node->prev, node->next);
	list_add_tail(node, head);
}

static inline int list_is_last(const struct list_head *node, const struct list_head *head)
{
	return node->next == head;
}

static inline int list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline int list_empty_careful(const struct list_head *head)
{
	return head->next == head && head->prev == head;
}

static inline void __list_splice(struct list_head *list, struct list_head *head)
{
	struct list_head *first = list->next, *last = list->prev, *behind = head->next;

	__list_del(head, first);
	__list_del(last, behind);
}

static inline void list_splice(struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head);
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_next_entry(pos, member) list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define __list_prev_entry(pos, member) list_entry((pos)->member.prev, __typeof__(*(pos)), member)

#define list_for_each(pos, head) \
	for (pos = (head)->next; pos != (head); pos = pos->next)
#define __list_for_each(pos, head) list_for_each(pos, head)
#define list_for_each_prev(pos, head) \
	for (pos = (head)->prev; pos != (head); pos = pos->prev)
#define list_for_each_safe(pos, n, head) \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)

#define list_for_each_entry_from(pos, head, member) \
	for (; &pos->member != (head); pos = list_next_entry(pos, member))
#define list_for_each_entry_safe_from(pos, n, head, member) \
	for (n = list_next_entry(pos, member); &pos->member != (head); pos = n, n = list_next_entry(n, member))
#define list_for_each_entry(pos, head, member) \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head); \
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member) \
	for (pos = list_entry((head)->prev, __typeof__(*pos), member); &pos->member != (head); \
	     pos = __list_prev_entry(pos, member))
#define list_prepare_entry(pos, head, member) \
	((pos) ? (pos) : list_entry(head, __typeof__(*pos), member))
#define list_for_each_entry_continue(pos, head, member) \
	for (pos = list_next_entry(pos, member); &pos->member != (head); pos = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member) \
	for (pos = list_entry((head)->next, __typeof__(*pos), member), n = list_next_entry(pos, member); \
	     &pos->member != (head); pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_continue(pos, n, head, member) \
	for (pos = list_next_entry(pos, member), n = list_next_entry(pos, member); &pos->member != (head); \
	     pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_reverse(pos, n, head, member) \
	for (pos = list_entry((head)->prev, __typeof__(*pos), member), n = __list_prev_entry(pos, member); \
	     &pos->member != (head); pos = n, n = __list_prev_entry(n, member))

#define HLIST_HEAD_INIT { NULL }
#define HLIST_HEAD(name) struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(ptr) ((ptr)->first = NULL)

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline int hlist_unhashed(const struct hlist_node *node)
{
	return node->pprev == NULL;
}

static inline int hlist_empty(const struct hlist_head *head)
{
	return head->first == NULL;
}

static inline void __hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next != NULL)
		node->next->pprev = node->pprev;
}

static inline void hlist_del(struct hlist_node *node)
{
	__hlist_del(node);
	node->next = (struct hlist_node *)LIST_POISON1;
	node->pprev = (struct hlist_node **)LIST_POISON2;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (!hlist_unhashed(node)) {
		__hlist_del(node);
		INIT_HLIST_NODE(node);
	}
}

/* Links a node where *link points at its successor. */
static inline void __hlist_link(struct hlist_node *node, struct hlist_node **link)
{
	node->next = *link;
	node->pprev = link;
	if (node->next != NULL)
		node->next->pprev = &node->next;
	*link = node;
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	__hlist_link(node, &head->first);
}

static inline void hlist_add_before(struct hlist_node *node, struct hlist_node *next)
{
	__hlist_link(node, next->pprev);
}

/* Links next behind node. */
static inline void hlist_add_after(struct hlist_node *node, struct hlist_node *next)
{
	__hlist_link(next, &node->next);
}

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)

#define hlist_for_each(pos, head) \
	for (pos = (head)->first; pos != NULL; pos = pos->next)
#define hlist_for_each_safe(pos, n, head) \
	for (pos = (head)->first; pos != NULL && (n = pos->next, 1); pos = n)

#define __hlist_entry_at(tpos, pos, member) \
	(pos != NULL && (tpos = hlist_entry(pos, __typeof__(*tpos), member), 1))
#define hlist_for_each_entry(tpos, pos, head, member) \
	for (pos = (head)->first; __hlist_entry_at(tpos, pos, member); pos = pos->next)
#define hlist_for_each_entry_continue(tpos, pos, member) \
	for (pos = pos->next; __hlist_entry_at(tpos, pos, member); pos = pos->next)
#define hlist_for_each_entry_from(tpos, pos, member) \
	for (; __hlist_entry_at(tpos, pos, member); pos = pos->next)
#define hlist_for_each_entry_safe(tpos, pos, n, head, member) \
	for (pos = (head)->first; pos != NULL && (n = pos->next, __hlist_entry_at(tpos, pos, member)); pos = n)

#endif /* __cplusplus */

#endif
