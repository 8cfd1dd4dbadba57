typedef int v4 __attribute__((vector_size(16))); v4 gv; struct hv { v4 v; int n; } h; int vsum(v4 *p) { return (*p)[0] + (*p)[3]; } 
