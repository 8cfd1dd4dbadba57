struct shr { int a; struct shr *n; };
int ext1(struct shr *, int), ext2(struct shr *, int), ext3(struct shr *, int);
int main(int c, char **v) { struct shr s = { c }; return ext1(&s, 1) + ext2(&s, c) + ext3(&s, 3); }
