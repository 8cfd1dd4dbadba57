"""Pointers to members whose types are in other units, as link-time optimisation and dwz leave them, and the same in one unit."""
from dwarf import CPLUSPLUS, base, die, emit, flag, member, name, of, struct, unit


def written(text, far):
    """With `far`, all that is behind a pointer is in further units."""
    def to(label):
        return ("type", "ref_addr" if far else "ref4", "@" + label)

    def pointer(label, target):
        return die("ptr_to_member_type", [to(target), ("containing_type", "ref4", "@A")], label=label)

    first = [
        base("int", "int"), base("long", "long", 8), struct("A", "A", 4, member("x", "int", 0)),
        pointer("method", "prototype"), pointer("named", "name"), pointer("far", "name_of_a_name"), pointer("data", "count"),
        pointer("circle", "c0"),
        struct("P", "P", 72, member("method", "method", 0), member("named", "named", 16), member("far", "far", 32), member("data", "data", 48),
               member("circle", "circle", 56), member("last", "long", 64)),
        die("variable", [name("p"), of("P"), flag("external"), ("location", "exprloc", [3, "p"])]),
        die("subprogram", [name("f"), to("long"), flag("external"), ("low_pc", "addr", "f")],
            die("formal_parameter", [name("by_value"), of("named")])),
    ]
    second = [die("const_type", [to("name")], label="name_of_a_name"), die("typedef", [name("count_t"), to("long")], label="count"),
              die("const_type", [to("c1")], label="c0")]
    third = [die("subroutine_type", [to("int")], die("formal_parameter", [to("long")]), label="prototype"),
             die("typedef", [name("method_t"), to("prototype")], label="name"), die("volatile_type", [to("c0")], label="c1")]
    units = [first, second, third] if far else [[*first, *second, *third]]
    emit(text + ".s", [unit(*dies, language=CPLUSPLUS) for dies in units], """.text
.globl f
.type f, @function
f: ret
.size f, . - f
.bss
.globl p
.type p, @object
p: .zero 72
.size p, 72
""")


written("together", False)
written("apart", True)
