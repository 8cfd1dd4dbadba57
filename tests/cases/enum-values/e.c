enum big { BA = 1ULL << 40 };
enum neg { NA = -5, NB = 3000000000LL };
enum u8 { U0 = 200, U1 = 255 } __attribute__((packed));
enum s8 { S0 = -128, S1 = 127 } __attribute__((packed));
enum um { M0 = 0xffffffffu };
enum ul { L0 = 0xffffffffffffffffULL };
struct s { enum big a; enum neg b; enum u8 c; enum s8 d; enum um e; enum ul f; } v;
