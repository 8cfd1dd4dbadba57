typedef struct { int counter; } atomic_t; struct list_head { struct list_head *next, *prev; }; struct hlist { struct hlist *n, **pp; };
struct work { atomic_t data; struct list_head entry; void (*func)(struct work *); }; struct task { volatile long state; void *stack; atomic_t usage; struct list_head tasks; struct work w; char comm[16]; union { struct hlist h; struct { int a, b; }; }; };
struct task init_task; int task_count(struct list_head *h) { int n = 0; for (struct list_head *p = h->next; p != h; p = p->next) n++; return n; } void queue(struct work *w) { if (w->func) w->func(w); }
