struct pc { int v; long w; };
__attribute__((section(".data..percpu"))) struct pc my_pcpu = {1, 2};
int readit(struct pc *p) { return p->v; }
