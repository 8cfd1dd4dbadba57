"""Every kind of type, function and block, nested in or leading to another one of its kind as often as the argument says. `user` is sound."""
import sys

from dwarf import *

N = int(sys.argv[1])
POINTER = ("byte_size", "data1", 8)
PLACED = [("low_pc", "addr", 0), ("high_pc", "data4", 1)]
NEXT = of("next")
VARIABLE = die("variable", [name("v"), of("int")])
TAIL = """.text
.globl here
.type here, @function
here: ret
.size here, . - here
"""


def write(text, *dies, language=C11):
    emit(f"{text}.s", [unit(*dies, language=language)], TAIL)


def inside(text, container, attributes, innermost, language=CPLUSPLUS):
    write(text, base("int", "int"), deep(N, container, attributes, innermost), struct("s", "user", 4, member("m", "int", 0)), language=language)


def leading(text, *dies, to=None, language=C11):
    """A chain of `dies` to `int`, and a struct, a variable and a function that have to do with its start."""
    function = die("subprogram", [name("here"), of("first"), flag("external"), ("low_pc", "addr", "here")],
                   die("formal_parameter", [name("p"), of("first")]))
    variable = die("variable", [name("v"), of("first"), flag("external"), ("location", "exprloc", [3, "here"])])
    first = die("const_type", [NEXT], label="first")
    write(text, struct("s", "user", 8, member("m", "first", 0)), variable, function, chain(1, first), chain(N, *dies),
          to or base("int", "int"), base("int", "int") if to else die("namespace"), language=language)


def single(text, tag, *attributes, language=C11):
    leading(text, die(tag, [NEXT, *attributes]), language=language)


member_of_next = die("member", [name("m"), NEXT, ("data_member_location", "data1", 0)])
write("blocks", base("int", "int"), struct("s", "user", 4, member("m", "int", 0)),
      die("subprogram", [name("f"), *PLACED, flag("external")], deep(N, "lexical_block", [], VARIABLE)))
write("inlined", base("int", "int"), struct("s", "user", 4, member("m", "int", 0)),
      die("subprogram", [name("g"), ("inline", "data1", 1)], label="g"),
      die("subprogram", [name("f"), *PLACED], deep(N, "inlined_subroutine", [("abstract_origin", "ref4", "@g"), *PLACED], VARIABLE)))
inside("namespaces", "namespace", [name("n")], struct("d", "deepest", 4, member("m", "int", 0)))
inside("modules", "module", [name("n")], struct("d", "deepest", 4, member("m", "int", 0)), language=0x0E)
inside("structs", "structure_type", [name("n"), size(4)], member("m", "int", 0))
inside("unions", "union_type", [name("n"), size(4)], member("m", "int", 0))
inside("nameless", "structure_type", [size(4)], member("m", "int", 0))
inside("functions", "subprogram", [name("f"), *PLACED], VARIABLE)
inside("prototypes-inside", "subroutine_type", [], die("formal_parameter", [of("int")]))
write("variants", base("int", "int"), struct("s", "user", 4, member("m", "int", 0)),
      die("structure_type", [name("R"), size(8)], deep(N, "variant_part", [], die("variant"))), language=0x1C)
write("tags-inside", base("int", "int"), die("pointer_type", [of("int"), POINTER], deep(
    N, "llvm_annotation", [name("btf_type_tag"), ("const_value", "string", "x")]), label="p"), struct("s", "user", 8, member("m", "p", 0)))
write("tags-in-a-row", base("int", "int"), die("pointer_type", [of("int"), POINTER], chain(
    N, die("llvm_annotation", [name("btf_type_tag"), ("const_value", "string", "x")])), label="p"), struct("s", "user", 8, member("m", "p", 0)))
write("dimensions", base("int", "int"), die("array_type", [of("int")], chain(
    N, die("subrange_type", [("upper_bound", "data1", 0)])), label="a"), struct("s", "user", 4, member("m", "a", 0)))
single("pointers", "pointer_type", POINTER)
single("references", "reference_type", POINTER, language=CPLUSPLUS)
single("pointers-to-members", "ptr_to_member_type", language=CPLUSPLUS)
single("typedefs", "typedef", name("t"))
single("nameless-typedefs", "typedef")
single("atomic", "atomic_type")
single("const", "const_type")
single("ranges", "subrange_type", name("r"))
leading("arrays", die("array_type", [NEXT], die("subrange_type", [("upper_bound", "data1", 0)])))
leading("values", die("structure_type", [name("s"), size(4)], member_of_next))
leading("nameless-values", die("structure_type", [size(4)], member_of_next))
leading("bases", die("class_type", [name("c"), size(4)], die("inheritance", [NEXT, ("data_member_location", "data1", 0)])),
        to=die("class_type", [name("e"), size(4)], member("m", "int", 0)), language=CPLUSPLUS)
leading("enumerations", die("enumeration_type", [name("e"), size(4), NEXT], die("enumerator", [name("x"), ("const_value", "data1", 1)])))
leading("results", die("subroutine_type", [NEXT]))
leading("parameters", die("subroutine_type", [], die("formal_parameter", [NEXT])))
leading("prototypes", die("pointer_type", [POINTER, NEXT]), die("subroutine_type", [NEXT], die("formal_parameter", [NEXT])))
leading("definitions", die("structure_type", [size(4), ("specification", "ref4", "@next")], member("m", "int", 0)),
        to=die("structure_type", [name("declared"), flag("declaration")]))
write("origins", base("int", "int"), struct("s", "user", 4, member("m", "int", 0)),
      chain(N, die("subprogram", [("abstract_origin", "ref4", "@next"), *PLACED])), die("subprogram", [name("here"), of("int")]))
write("specifications", base("int", "int"), struct("s", "user", 4, member("m", "int", 0)),
      chain(N, die("subprogram", [("specification", "ref4", "@next"), *PLACED])), die("subprogram", [name("here"), of("int"), flag("declaration")]))
write("annotations", base("int", "int"), die("pointer_type", [of("int"), POINTER, ("annotation", "ref4", "@tags")], label="p"),
      struct("s", "user", 8, member("m", "p", 0)), die("annotation", [name("btf_type_tag"), ("const_value", "string", "x"), ("annotation", "ref4", "@more")], label="tags"),
      die("namespace", label="more"), chain(N, die("annotation", [name("btf_decl_tag"), ("const_value", "string", "x"), ("annotation", "ref4", "@next")])))
