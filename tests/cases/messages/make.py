"""One object for each thing that is left out or changed, and what the message about it says."""
from dwarf import base, die, emit, flag, member, name, of, size, struct, unit

MANY = 65536


def parameters(count):
    return [die("formal_parameter", [name("p"), of("int")]) for _ in range(count)]


def function(*children, **attributes):
    return die("subprogram", [name("f"), flag("external"), ("low_pc", "addr", "f")], *children, **attributes)


# Name, text of the message, entries; the message is about the one with the label `here`.
FAULTS = [
    ("no-type", "member without a type", struct("s", "s", 8, member("a", "int", 0), die("member", [name("b")], label="here"))),
    ("outside", "expected an offset in the unit",
     struct("s", "s", 8, die("member", [name("b"), ("type", "ref4", 0x7FFFFF)], label="here"))),
    ("no-such-type", "where no type is", struct("here", "s", 8, die("member", [name("b"), ("type", "ref4", 11)]))),
    ("no-signature", "expected that of a type unit",
     struct("s", "s", 8, die("member", [name("b"), ("type", "ref_sig8", 0x1234)], label="here"))),
    ("members", "more than 65535 members", struct("s", "s", 4 * MANY + 4, *[member("a", "int", 4 * i) for i in range(MANY - 1)],
                                                  die("member", [name("b"), of("int")], label="here"), member("c", "int", 0))),
    ("enumerators", "more than 65535 enumerators",
     die("enumeration_type", [name("e"), size(4)], *[die("enumerator", [name(f"e{i}"), ("const_value", "data4", i)]) for i in range(MANY - 1)],
         die("enumerator", [name("x"), ("const_value", "data4", 1)], label="here"))),
    ("no-value", "enumerator without a number", die("enumeration_type", [name("e"), size(4)], die("enumerator", [name("x")], label="here"))),
    ("nameless", "enumerator without a name",
     die("enumeration_type", [name("e"), size(4)], die("enumerator", [("const_value", "data1", 1)], label="here"))),
    ("three-bytes", "enumeration of 3 bytes",
     die("enumeration_type", [name("e"), size(3)], die("enumerator", [name("x"), ("const_value", "data1", 1)]), label="here")),
    ("elements", "array of 4294967296 elements",
     die("array_type", [of("int")], die("subrange_type", [("upper_bound", "data8", 0xFFFFFFFF)], label="here"))),
    ("bytes", "size of 4294967296 bytes", die("structure_type", [name("s"), ("byte_size", "data8", 1 << 32)], member("a", "int", 0), label="here")),
    ("far", "member at bit 8589934592", struct("s", "s", 4, die(
        "member", [name("b"), of("int"), ("data_member_location", "data4", 1 << 30)], label="here"))),
    ("location", "DW_OP_lit5, expected DW_OP_plus_uconst",
     struct("s", "s", 4, die("member", [name("b"), of("int"), ("data_member_location", "exprloc", [0x35])], label="here"))),
    ("tag", "unknown tag 0x7777", die("unknown", [name("x")], label="here")),
    ("declared", "declaration without a name", die("structure_type", [flag("declaration")], label="here")),
    ("string", "expected a string", die("structure_type", [("name", "strp", 0x7FFFFFFF), size(4)], member("a", "int", 0), label="here")),
    ("prototype", "65536 parameters", die("subroutine_type", [], *parameters(MANY), label="here")),
    ("parameters", "function with 65536 parameters", function(*parameters(MANY), label="here")),
    ("origin", "is no function", die("subprogram", [("abstract_origin", "ref4", 11), ("low_pc", "addr", "f")], label="here")),
    ("no-definition", "specification 0x[0-9a-f]* is no function", die("subprogram", [("specification", "ref4", "@int"), ("low_pc", "addr", "f")], label="here")),
    ("no-parameter", "is no parameter", function(die("formal_parameter", [("abstract_origin", "ref4", "@int")], label="here"))),
    ("list", "section .debug_loc is missing", function(die("formal_parameter", [name("p"), of("int"), ("location", "sec_offset", 0)], label="here"))),
    ("wide", "bit-field of 256 bits", struct("s", "s", 64, die(
        "member", [name("b"), of("int"), ("data_member_location", "data4", 0), ("bit_size", "data2", 256)], label="here"))),
    ("integer", "base type of 32 bytes", die("base_type", [name("large"), ("byte_size", "data1", 32), ("encoding", "data1", 5)], label="here")),
    ("sizeless", "base type of 0 bytes", die("base_type", [name("odd"), ("encoding", "data1", 5)], label="here")),
    ("text", "text of 4294967296 characters", die("string_type", [("byte_size", "data8", 1 << 32)], label="here")),
    ("in-array", "DW_TAG_label is not supported here", die("array_type", [of("int")], die("label", [name("l")], label="here"))),
    ("in-enumeration", "DW_TAG_member is not supported here", die("enumeration_type", [name("e"), size(4)], die("member", [name("m")], label="here"))),
    ("in-member", "DW_TAG_label is not supported here", struct("s", "s", 4, die(
        "member", [name("b"), of("int"), ("data_member_location", "data4", 0)], die("label", [name("l")], label="here")))),
    ("itself", "leads back to itself", die("pointer_type", [of("here")], label="here")),
    ("names", "more than 64 names", die("ptr_to_member_type", [of("c0")], label="here"),
     *[die("const_type", [of(f"c{i + 1}" if i < 64 else "int")], label=f"c{i}") for i in range(65)]),
    ("stand-in", "stand for each other in a circle", die("atomic_type", [of("here")], label="here")),
    ("no-annotation", "where no annotation is", die("structure_type", [name("s"), size(4), ("annotation", "ref4", "@int")], label="here")),
    ("many-annotations", "chain of more than 1024 annotations", die(
        "annotation", [name("btf_decl_tag"), ("const_value", "string", "t"), ("annotation", "ref4", "@here")], label="here"),
     die("structure_type", [name("s"), size(4), ("annotation", "ref4", "@here")])),
    ("no-declaration", "is no variable", die(
        "variable", [("specification", "ref4", "@int"), ("location", "exprloc", [3, "f"])], label="here")),
    ("declared-variable", "expected a string", struct("s", "s", 4, die("variable", [("name", "strp", 0x7FFFFFFF), of("int"), flag("declaration")], label="here")),
     die("variable", [("specification", "ref4", "@here"), ("location", "exprloc", [3, "f"])])),
    ("no-name", "specification 0x[0-9a-f]* is no type", die("subprogram", [name("g")], label="g"),
     die("structure_type", [size(4), ("specification", "ref4", "@g")], label="here")),
    ("variable", "the variable is left out", die("variable", [name("v"), of("int"), ("location", "exprloc", [3, 0])], label="here")),
]
TAIL = """.text
.globl f
.type f, @function
f: ret
.size f, . - f
here = .Ldie_here - .Lunit0
"""

with open("faults", "w") as faults:
    for fault, text, *entries in FAULTS:
        emit(f"{fault}.s", [unit(base("int", "int"), *entries, struct("last", "last", 4, member("m", "int", 0)))], TAIL)
        print(fault, text, sep="\t", file=faults)
