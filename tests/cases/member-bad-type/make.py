from dwarf import *


def write(text, *attributes):
    emit(text + ".s", [unit(
        base("int", "int"), die("subprogram", [name("fn")], label="fn"),
        die("structure_type", [name("user"), size(16)], member("ok", "int", 0),
            die("member", [name("a"), ("data_member_location", "data1", 8), *attributes])))])


write("none")
write("outside", ("type", "ref4", "0x7ffffff0"))
write("inside_a_die", ("type", "ref4", ".Ldie_int - .Lunit0 + 1"))
write("function", of("fn"))
write("unit", ("type", "ref4", "0xb"))
