struct object {
	unsigned long flag:1;
	struct { int first; int narrow:3; };
	union { int number; struct { char letters[3]; }; };
	struct { union { short small; long large; }; int behind; } named;
	const union { int read; float only; };
	struct { char one; } pair[2];
};
struct object object;
