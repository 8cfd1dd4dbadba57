"""One object for each kind of type that BTF lacks, with what stands for it: lines that the dump holds, and the message if there is one."""
from dwarf import base, die, emit, flag, member, name, of, size, struct, unit


def to_int(tag, *children, attributes=()):
    return die(tag, [of("int"), *attributes], *children, label="T")


def sized(tag, *attributes):
    return die(tag, [of("int"), *attributes], label="T")


INT, VOID = "'a' type_id=1 ", r"'a' type_id=0 "
POINTER = r"PTR '\(anon\)' type_id=1$"
FIVE = ("byte_size", "data1", 5)
KINDS = [
    # Qualifiers: what is qualified.
    *[(tag, [INT], None, to_int(tag)) for tag in ("atomic_type", "immutable_type", "shared_type", "packed_type", "ptrauth_type")],
    ("coarray_type", [INT], None, to_int("coarray_type", die("subrange_type", [("lower_bound", "data1", 1)]))),
    # What is a pointer in memory.
    *[(tag, [POINTER, "'a' type_id=2 "], None, to_int(tag)) for tag in ("reference_type", "rvalue_reference_type", "dynamic_type", "ptr_to_member_type")],
    ("template_alias", ["TYPEDEF 'alias' type_id=1", "'a' type_id=2 "], None,
     to_int("template_alias", die("template_type_parameter", [name("X"), of("int")]), attributes=[name("alias")])),
    # Texts, sets and files: bytes.
    ("string_type", ["INT 'character' size=1 ", "ARRAY .* type_id=2 .* nr_elems=5"], None, die("string_type", [FIVE], label="T")),
    *[(tag, ["INT 'unsigned char' size=1 ", "ARRAY .* type_id=2 .* nr_elems=5", "'a' type_id=3 "], None, sized(tag, FIVE)) for tag in ("set_type", "file_type")],
    ("set_type_named", ["ARRAY .* type_id=2 .* nr_elems=5", "TYPEDEF 'colours' type_id=3", "'a' type_id=4 "], None, sized("set_type", name("colours"), FIVE)),
    ("set_type_without_size", [VOID], "set or file without a size", sized("set_type")),
    # Ranges: what they are ranges of, else integers.
    ("subrange_type", ["TYPEDEF 'index' type_id=1", "'a' type_id=2 "], None, sized("subrange_type", name("index"), ("upper_bound", "data1", 9))),
    ("subrange_type_nameless", [INT], None, sized("subrange_type", ("upper_bound", "data1", 9))),
    ("subrange_type_alone", ["INT 'index' size=2 ", "'a' type_id=2 "], None, die("subrange_type", [name("index"), ("byte_size", "data1", 2)], label="T")),
    ("subrange_type_bare", ["INT 'integer' size=8 ", "'a' type_id=2 "], None, die("subrange_type", [("upper_bound", "data1", 9)], label="T")),
    ("subrange_type_odd", [VOID], "range of 3 bytes", die("subrange_type", [("byte_size", "data1", 3)], label="T")),
    # Dimensions of arrays.
    ("generic_subrange", ["ARRAY .* type_id=1 .* nr_elems=0"], None, to_int("array_type", die("generic_subrange", [("lower_bound", "data1", 1)]))),
    ("enumeration_as_index", ["ENUM 'day'.* vlen=3", "ARRAY .* type_id=1 .* nr_elems=3"], None,
     to_int("array_type", die("enumeration_type", [name("day"), size(4)], *[die("enumerator", [name(f"d{i}"), ("const_value", "data1", i)]) for i in range(3)]))),
    # Void.
    ("unspecified_type", [VOID], None, die("unspecified_type", [name("decltype(nullptr)")], label="T")),
    ("unknown_type", [VOID], "unknown tag 0x7777", die("unknown", [name("x")], label="T")),
    ("namelist", [VOID], "DW_TAG_namelist is not supported here", die("namelist", [name("x")], label="T")),
]
# What stands in functions beside types.
BLOCKS = [(tag, ["STRUCT 'in' size=4"], None, die(tag, [("low_pc", "addr", "f"), ("high_pc", "data4", 1)], struct("in", "in", 4, member("m", "int", 0))))
          for tag in ("lexical_block", "try_block", "catch_block", "with_stmt")]
BLOCKS.append(("thrown_type", ["FUNC 'f'"], "DW_TAG_thrown_type is not supported here", die("thrown_type", [of("int")], label="T")))
TAIL = """.text
.globl f
.type f, @function
f: ret
.size f, . - f
"""


def function(target, *children):
    return die("subprogram", [name("f"), of(target), flag("external"), ("low_pc", "addr", "f"), ("high_pc", "data4", 1)],
               die("formal_parameter", [name("p"), of(target)]), *children)


with open("kinds", "w") as kinds:
    for kind, holds, message, entry in KINDS + BLOCKS:
        is_type = all(entry is not block[3] for block in BLOCKS)
        users = [entry, struct("s", "s", 16, member("a", "T", 0), member("b", "int", 8)), function("T")] if is_type else [function("int", entry)]
        emit(f"{kind}.s", [unit(base("int", "int"), *users, struct("last", "last", 4, member("m", "int", 0)))], TAIL)
        print(kind, message or "-", *holds, sep="\t", file=kinds)
