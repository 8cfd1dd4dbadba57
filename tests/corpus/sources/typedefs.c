typedef unsigned char u8; typedef u8 u8_2; typedef struct { u8 a; u8_2 b; } pair_t; typedef struct named named_t; struct named { named_t *self; pair_t p; };
typedef void fn_t(int); typedef fn_t *fp_t; typedef struct fwd *fwd_p; struct user { fp_t f; fwd_p w; named_t n; } us;
u8 first(pair_t p) { return p.a; } void call(fn_t *f, int x) { f(x); }
