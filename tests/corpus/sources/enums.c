enum small { S0, S1 = 5, S2 }; enum neg { N0 = -3, N1 = 7 }; enum big { B0 = 0x100000000ULL, B1 = ~0ULL };
enum negbig { NB = -0x7fffffffffffLL, NB2 = 1 }; enum __attribute__((packed)) tiny { T0, T1 = 200 };
enum only_declared; struct with { enum small s; enum tiny t; enum only_declared *o; enum big b; } ew;
enum neg pick(enum small s, enum big b) { return s == S1 && b == B0 ? N0 : N1; } enum negbig nb; 
