from dwarf import *

emit("a.s", [unit(
    base("int", "int"), die("typedef", [name("main.F"), of("P")], label="F"),
    die("pointer_type", [("byte_size", "data1", 8), of("S")], label="P"),
    die("subroutine_type", [name("func(main.F) main.F"), of("F")], die("formal_parameter", [of("F")]), label="S"),
    struct("s", "user", 8, member("m", "F", 0)), language=GO)])
