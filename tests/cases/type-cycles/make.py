from dwarf import *

INT = lambda: base("int", "int")
POINTER = lambda label, target: die("pointer_type", [("byte_size", "data1", 8), of(target)], label=label)


def write(text, *dies, language=C11):
    emit(text + ".s", [unit(INT(), *dies, language=language)])


def user(target):
    return struct("s", "user", 8, member("m", target, 0))


variable = die("variable", [name("v"), of("A"), flag("external"), flag("declaration")])
write("typedef_pair", die("typedef", [name("A"), of("B")], label="A"), die("typedef", [name("B"), of("A")], label="B"),
      struct("s", "user", 8, member("m", "A", 0), member("n", "int", 4)), variable)
write("typedef_self", die("typedef", [name("A"), of("A")], label="A"), user("A"))
write("const_self", die("const_type", [of("A")], label="A"), user("A"))
write("pointer_const", die("const_type", [of("P")], label="C"), POINTER("P", "C"), user("P"))
write("pointer_self", POINTER("P", "P"), user("P"))
write("array_self", die("array_type", [of("A")], die("subrange_type", [("upper_bound", "data1", 3)]), label="A"), user("A"))
write("struct_self", struct("s", "user", 8, member("m", "s", 0)))
write("struct_pair", struct("s", "ua", 8, member("m", "t", 0)), struct("t", "ub", 8, member("k", "s", 0)))
write("base_class_self",
      die("class_type", [name("K"), size(8)],
          die("inheritance", [of("K"), ("data_member_location", "data1", 0)]), member("m", "int", 0), label="K"),
      language=CPLUSPLUS)
write("origin_self",
      die("subprogram", [name("f"), ("abstract_origin", "ref4", "@f"), ("low_pc", "addr", 0), ("high_pc", "data4", 1)], label="f"))
write("specification_self",
      die("variable", [("specification", "ref4", "@v"), ("location", "exprloc", [3] + [0] * 8)], label="v"))
write("subroutine_self", die("subroutine_type", [of("F")], die("formal_parameter", [of("F")]), label="F"), POINTER("P", "F"), user("P"))
write("enum_self",
      die("enumeration_type", [name("E"), ("byte_size", "data1", 4), of("E")],
          die("enumerator", [name("X"), ("const_value", "data1", 1)]), label="E"), user("E"))
