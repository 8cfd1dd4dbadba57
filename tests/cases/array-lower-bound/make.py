from dwarf import *

emit("a.s", [unit(
    base("int", "int"),
    die("array_type", [of("int")], die("subrange_type", [("lower_bound", "sdata", -3), ("upper_bound", "sdata", 3)]), label="A"),
    struct("s", "user", 28, member("m", "A", 0)))])
