from dwarf import *

emit("a.s", [unit(
    base("int", "int"),
    die("enumeration_type", [name("E"), ("byte_size", "data1", 4)],
        die("enumerator", [("const_value", "data1", 1)]), die("enumerator", [name("X")]),
        die("enumerator", [name("Y"), ("const_value", "block1", [1, 2, 3, 4])]),
        die("enumerator", [name("Z"), ("const_value", "string", "abc")])),
    die("structure_type", [("byte_size", "data1", 4)], die("member", [of("int"), ("data_member_location", "data1", 0)]), label="s"),
    die("typedef", [of("s")], label="t"), die("variable", [of("t")]),
    die("subprogram", [of("int"), ("low_pc", "addr", 0), ("high_pc", "data4", 1)], die("formal_parameter", [of("t")])),
    die("base_type", [("byte_size", "data1", 4), ("encoding", "data1", 5)], label="q"),
    die("namespace", [], die("variable", [of("q")])))])
