int small __attribute__((section(".first")));
char large[0xfffffff0ul] __attribute__((section(".second,\"aw\",@nobits#")));
char cells[3][0x80000000ul] __attribute__((section(".third,\"aw\",@nobits#")));
int behind __attribute__((section(".third,\"aw\",@nobits#")));
int main(void) { return small + behind + large[1] + cells[1][1]; }
