from dwarf import *

F95 = 0x0E

emit("a.s", [unit(
    base("int", "int"),
    die("module", [name("shapes")],
        die("subrange_type", [name("index"), of("int"), ("lower_bound", "sdata", -3), ("upper_bound", "sdata", 3)], label="I"),
        die("subrange_type", [of("int"), ("lower_bound", "sdata", 1), ("upper_bound", "sdata", 8)], label="J"),
        die("string_type", [("byte_size", "data1", 12)], label="S"),
        struct("P", "point", 24, member("from", "I", 0), member("to", "J", 4), member("label", "S", 8), member("end", "int", 20)),
        die("variable", [name("origin"), of("P"), flag("external"), ("location", "exprloc", [3, "origin"])])),
    language=F95)],
    tail='.section .bss\n.globl origin\n.type origin, @object\n.size origin, 24\norigin: .zero 24')
