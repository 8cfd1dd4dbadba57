/* What pahole looks for before it offers the feature. The library must not need it. */
void *btf__new_empty_opts(void *options) { (void)options; return 0; }
