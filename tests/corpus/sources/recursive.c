typedef struct rec rec_t; typedef rec_t *(*step_t)(rec_t *); struct rec { step_t step; rec_t *next; struct { rec_t *back; } links[2]; }; rec_t root;
rec_t *walk(rec_t *r, int n) { return n ? walk(r->next, n - 1) : r; } int even(int), odd(int); int even(int n) { return n ? odd(n - 1) : 1; } int odd(int n) { return n ? even(n - 1) : 0; }
