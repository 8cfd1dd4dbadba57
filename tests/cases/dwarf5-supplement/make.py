"""A file and its supplementary one in the forms of DWARF 5 (7.3.6), which no tool writes yet: python3 make.py sup|main [OFFSET]."""
import sys

from dwarf import base, die, emit, name, size, struct, unit

ID = ".byte 4, 1, 2, 3, 4"


def sup(is_sup, file):
    return f""".section .debug_sup,"",@progbits
.short 5
.byte {is_sup}
.string "{file}"
{ID}
"""


if sys.argv[1] == "sup":
    emit("sup.s", [unit(base("int", "int"), struct("here", "shared", 4, die("member", [
        ("name", "strp", ".Lmember"), ("type", "ref4", "@int"), ("data_member_location", "data1", 0)])), version=5)],
        'here = .Ldie_here - .Lunit0\n.section .debug_str,"MS",@progbits,1\n.Lnothing: .string ""\n.Lmember: .string "inner"\n'
        + sup(1, ""))
else:
    offset = int(sys.argv[2], 16)
    for form in ("ref_sup4", "ref_sup8"):
        emit(f"{form}.s", [unit(die("structure_type", [("name", "strp_sup", 1), size(4)], die("member", [
            name("outer"), ("type", form, offset), ("data_member_location", "data1", 0)])), version=5)], sup(0, "sup.o"))
