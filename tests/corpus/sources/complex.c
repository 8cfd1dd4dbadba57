_Complex float cf; _Complex double cd; _Complex long double cl; struct wave { char tag; _Complex float amp; int n; } wave_w; _Complex double *pc;
int phase(_Complex float *z, int n) { return (int)__real__ *z + n; } int plain(struct wave *p) { return p->n; }
