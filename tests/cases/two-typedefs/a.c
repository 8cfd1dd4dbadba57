typedef enum { ONE, TWO } first_t, second_t;
struct user { first_t first; second_t second; } user;
