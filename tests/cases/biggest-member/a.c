struct empty { };
struct holder { struct empty none; } holder;
struct wide { char a; struct empty none; long b; short c; } wide;
struct nested { int x; struct wide w; } nested;
