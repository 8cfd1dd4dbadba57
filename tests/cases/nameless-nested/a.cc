struct outer {
	enum { RED, GREEN } colour;
	union { int overlay; long wide; };
	struct { short inner; } part;
	struct { char grain; } several[3];
	const struct { int fixed; } constant;
	struct { union { struct { int deepest; } more; int other; } either; } deep;
	enum { ALONE = 7 };
	typedef struct { int renamed; } alias;
	alias aliased;
};
outer o{};
int alone = outer::ALONE;
