struct one { int member; } one;
struct one *first(struct one *given) { return given; }
int second(int given) { return given; }
