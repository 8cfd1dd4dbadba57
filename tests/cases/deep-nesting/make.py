from dwarf import *

INT = base("int", "int")
PLACED = [("low_pc", "addr", 0), ("high_pc", "data4", 1)]
variable = die("variable", [name("v"), of("int")])

emit("blocks.s", [unit(INT, die("subprogram", [name("f"), *PLACED, flag("external")],
                                nest("lexical_block", 200000, variable, lambda level: [])))])
emit("namespaces.s", [unit(INT, nest("namespace", 100000, struct("s", "deep", 4, member("m", "int", 0)), lambda level: [name("n")]),
                           language=CPLUSPLUS)])
emit("structs.s", [unit(INT, nest("structure_type", 100000, member("m", "int", 0), lambda level: [name(f"s{level}"), size(4)]),
                        language=CPLUSPLUS)])
emit("inlined.s", [unit(INT, die("subprogram", [name("g"), ("inline", "data1", 1)], label="g"),
                        die("subprogram", [name("f"), *PLACED],
                            nest("inlined_subroutine", 100000, variable,
                                 lambda level: [("abstract_origin", "ref4", "@g"), *PLACED])))])
emit("values.s", [unit(INT, *[struct(f"v{i}", f"v{i}", 4, member("m", f"v{i + 1}" if i < 19999 else "int", 0)) for i in range(20000)])])
