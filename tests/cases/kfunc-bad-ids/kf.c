struct task { int pid; };
__attribute__((noinline, used)) struct task *bpf_get(struct task *t, unsigned long sz) { return t; }
__attribute__((noinline, used)) void bpf_put(struct task *t) { }
__attribute__((noinline, used)) int not_k(int a) { return a; }
/* A set8 as the kernel's BTF_KFUNCS_START makes it: a count, flags, then id and flags of each function. */
__asm__(
	".pushsection .BTF_ids,\"a\"\n"
	".local __BTF_ID__set8__kf_ids\n__BTF_ID__set8__kf_ids:\n.zero 4\n.long 1\n"
	".local __BTF_ID__func__bpf_get__111\n__BTF_ID__func__bpf_get__111:\n.zero 4\n.long 1\n"
	".size __BTF_ID__func__bpf_get__111, 4\n.type __BTF_ID__func__bpf_get__111, STT_OBJECT\n"
	".local __BTF_ID__func__bpf_put__112\n__BTF_ID__func__bpf_put__112:\n.zero 4\n.long 2\n"
	".size __BTF_ID__func__bpf_put__112, 4\n.type __BTF_ID__func__bpf_put__112, STT_OBJECT\n"
	".size __BTF_ID__set8__kf_ids, .-__BTF_ID__set8__kf_ids\n.type __BTF_ID__set8__kf_ids, STT_OBJECT\n"
	".popsection\n");
