struct shared { int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9; struct shared *nx; union { long u; char c[8]; } v; };
struct shared2 { struct shared s; unsigned f:3, g:5; int (*cb)(struct shared *, int); };
