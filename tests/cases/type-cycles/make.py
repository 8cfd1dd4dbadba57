"""Types, functions and units that lead back to themselves: alone, in pairs, in circles of a hundred. `sound` is as it should be in all of them."""
from dwarf import *

POINTER = ("byte_size", "data1", 8)
PLACED = [("low_pc", "addr", 0), ("high_pc", "data4", 1)]
TAIL = """.text
.globl here
.type here, @function
here: ret
.size here, . - here
.data
there: .long 0
"""


def INT():
    return base("int", "int")


def SOUND():
    return struct("sound", "sound", 4, member("m", "int", 0))


def to(attribute, label, form="ref4"):
    return (attribute, form, "@" + label)


def users(target):
    return [
        struct("user", "user", 8, member("m", target, 0)),
        die("variable", [name("v"), of(target), flag("external"), ("location", "exprloc", [3, "there"])]),
        die("subprogram", [name("here"), of(target), flag("external"), ("low_pc", "addr", "here")],
            die("formal_parameter", [name("p"), of(target)])),
    ]


def write(text, *dies, target="A", language=CPLUSPLUS):
    emit(text + ".s", [unit(INT(), *dies, *users(target), SOUND(), language=language)], TAIL)


def base_class(target):
    return die("inheritance", [of(target), ("data_member_location", "data1", 0)])


def array(label, target):
    return die("array_type", [of(target)], die("subrange_type", [("upper_bound", "data1", 3)]), label=label)


def prototype(label, target):
    return die("subroutine_type", [of(target)], die("formal_parameter", [of(target)]), die("formal_parameter", [of(target)]), label=label)


def enumeration(label, target):
    return die("enumeration_type", [name(label), size(4), of(target)], die("enumerator", [name("x" + label), ("const_value", "data1", 1)]), label=label)


def variable(label, source):
    return die("variable", [to("specification", source), ("location", "exprloc", [3, "there"])], label=label)


def instance(attribute, label, source):
    return die("subprogram", [to(attribute, source), *PLACED], die("formal_parameter", [to("abstract_origin", "p" + source)], label="p" + label), label=label)


# What leads to one other type.
for tag in ("typedef", "const_type", "volatile_type", "restrict_type", "atomic_type", "pointer_type", "reference_type", "rvalue_reference_type",
            "subrange_type", "ptr_to_member_type"):
    for names in ([[name("n")], []] if tag in ("typedef", "subrange_type") else [[]]):
        def link(label, target):
            containing = [to("containing_type", target)] if tag == "ptr_to_member_type" else []
            return die(tag, [*names, of(target), *containing], label=label)
        text = tag + ("" if names or tag not in ("typedef", "subrange_type") else "_nameless")
        write(f"{text}_self", link("A", "A"))
        write(f"{text}_pair", link("A", "B"), link("B", "A"))
        write(f"{text}_hundred", *[link(f"A{i}", f"A{(i + 1) % 100}") for i in range(100)], target="A0")
write("pointer_const", die("const_type", [of("A")], label="C"), die("pointer_type", [POINTER, of("C")], label="A"))
write("const_pointer_const", die("const_type", [of("P")], label="A"), die("pointer_type", [POINTER, of("A")], label="P"))
write("typedef_const", die("typedef", [name("A"), of("C")], label="A"), die("const_type", [of("A")], label="C"))
write("typedef_pointer", die("typedef", [name("A"), of("P")], label="A"), die("pointer_type", [POINTER, of("A")], label="P"))
# Arrays, and their bounds.
write("array_self", array("A", "A"))
write("array_pair", array("A", "B"), array("B", "A"))
write("array_typedef", array("B", "A"), die("typedef", [name("A"), of("B")], label="A"))
write("array_range", die("array_type", [of("int")], die("subrange_type", [of("A"), ("upper_bound", "data1", 3)]), label="A"))
# Members and base classes.
for tag in ("structure_type", "union_type"):
    for names in ([name("A")], []):
        text = tag + ("" if names else "_nameless")
        write(f"{text}_self", die(tag, [*names, size(8)], member("m", "A", 0), label="A"))
        write(f"{text}_array", die(tag, [*names, size(8)], member("m", "B", 0), label="A"), array("B", "A"))
        write(f"{text}_pair", die(tag, [*names, size(8)], member("m", "B", 0), member("n", "B", 0), label="A"),
              die(tag, [*names, size(8)], member("m", "A", 0), member("n", "A", 0), label="B"))
write("within_itself", die("structure_type", [name("A"), size(8)], struct("B", "B", 8, member("m", "A", 0)), member("m", "B", 0), label="A"))
write("base_self", die("class_type", [name("A"), size(8)], base_class("A"), member("m", "int", 0), label="A"))
write("base_pair", die("class_type", [name("A"), size(8)], base_class("B"), label="A"), die("class_type", [name("B"), size(8)], base_class("A"), label="B"))
write("base_typedef", die("class_type", [name("A"), size(8)], base_class("T"), label="A"), die("typedef", [name("T"), of("A")], label="T"))
write("bases", die("class_type", [name("A"), size(8)], *3 * [base_class("B")], label="A"), die("class_type", [name("B"), size(8)], *3 * [base_class("C")], label="B"),
      die("class_type", [name("C"), size(8)], base_class("A"), base_class("B"), label="C"))
write("enumeration_self", enumeration("A", "A"))
write("enumeration_pair", enumeration("A", "B"), enumeration("B", "A"))
write("template", die("structure_type", [name("A"), size(4)], die("template_type_parameter", [name("T"), of("t")], label="t"), member("m", "int", 0), label="A"))
# Prototypes. Through a typedef they are legal in Go.
write("prototype_self", prototype("F", "F"), die("pointer_type", [POINTER, of("F")], label="A"))
write("prototype_pointer", prototype("F", "A"), die("pointer_type", [POINTER, of("F")], label="A"))
write("prototype_pair", prototype("F", "G"), prototype("G", "F"), die("pointer_type", [POINTER, of("F")], label="A"))
write("prototype_typedef", prototype("F", "A"), die("typedef", [name("A"), of("F")], label="A"))
write("prototype_of_member", die("ptr_to_member_type", [of("F"), to("containing_type", "A")], label="A"), prototype("F", "A"))
# Declarations and origins.
for attribute in ("specification", "abstract_origin"):
    write(f"{attribute}_self", instance(attribute, "f", "f"), target="int")
    write(f"{attribute}_pair", instance(attribute, "f", "g"), instance(attribute, "g", "f"), target="int")
write("origins_mixed", instance("specification", "f", "g"), instance("abstract_origin", "g", "f"), target="int")
write("definitions", die("structure_type", [to("specification", "B"), size(4)], member("m", "int", 0), label="A"),
      die("structure_type", [to("specification", "A"), size(4)], member("m", "int", 0), label="B"))
write("variables", variable("f", "g"), variable("g", "f"), variable("h", "h"), target="int")
write("definition_of_another_kind", die("structure_type", [to("specification", "f"), size(4)], member("m", "int", 0), label="A"),
      die("subprogram", [to("specification", "A"), *PLACED], label="f"), variable("h", "A"))
write("inside_functions", die("subprogram", [name("f"), *PLACED, ("inline", "data1", 1)], die("variable", [to("abstract_origin", "v")], label="v"),
                              die("lexical_block", [to("abstract_origin", "b")], label="b"), die("label", [to("abstract_origin", "l")], label="l"),
                              die("formal_parameter", [to("abstract_origin", "p")], label="p"),
                              die("inlined_subroutine", [to("abstract_origin", "i"), *PLACED], label="i"),
                              die("inlined_subroutine", [to("abstract_origin", "f"), *PLACED]), label="f"), target="int")
write("imports", die("imported_declaration", [to("import", "i")], label="i"), die("namespace", [name("n")], die("imported_declaration", [to("import", "n")]), label="n"), target="int")
# Annotations.
write("type_tags", die("annotation", [name("btf_type_tag"), ("const_value", "string", "x"), to("annotation", "n")], label="n"),
      die("pointer_type", [of("int"), POINTER, to("annotation", "n")], label="A"))
write("decl_tags", die("annotation", [name("btf_decl_tag"), ("const_value", "string", "x"), to("annotation", "o")], label="n"),
      die("annotation", [name("btf_decl_tag"), ("const_value", "string", "y"), to("annotation", "n")], label="o"),
      die("structure_type", [name("A"), size(4), to("annotation", "n")], member("m", "int", 0), label="A"))


# From unit to unit.
def units(text, first, second, target="A"):
    emit(f"{text}.s", [unit(INT(), *first, *users(target), SOUND()), unit(*second)], TAIL)


def far(attribute, label):
    return to(attribute, label, "ref_addr")


for tag, names in (("typedef", [name("n")]), ("typedef", []), ("const_type", []), ("pointer_type", []), ("atomic_type", [])):
    text = "units_" + tag + ("" if names or tag != "typedef" else "_nameless")
    units(text, [die(tag, [*names, far("type", "B")], label="A")], [die(tag, [*names, far("type", "A")], label="B")])
LONG = 3000
for text, closing in ("long", "U0x0"), ("long_inside", "U1x7"):
    emit(f"units_circle_{text}.s", [unit(*([INT(), SOUND(), *users("U0x0")] if i == 0 else []),
        *[die("pointer_type", [far("type", f"U{i}x{at + 1}" if at < LONG - 1 else f"U{i + 1}x0" if i < 2 else closing)], label=f"U{i}x{at}")
          for at in range(LONG)]) for i in range(3)], TAIL)


def far_prototype(label, *targets):
    return die("subroutine_type", [far("type", targets[0])], *[die("formal_parameter", [far("type", target)]) for target in targets], label=label)


units("units_prototype", [far_prototype("F", "int", "B", "G"), die("pointer_type", [POINTER, of("F")], label="A")],
      [far_prototype("G", "A", "A"), die("pointer_type", [POINTER, of("G")], label="B")])
units("units_array", [array("A", "P"), die("pointer_type", [POINTER, far("type", "B")], label="P")],
      [die("array_type", [far("type", "A")], die("subrange_type", [("upper_bound", "data1", 3)]), label="B")])
units("units_struct", [die("structure_type", [name("A"), size(8)], die("member", [name("m"), far("type", "B")]), label="A")],
      [die("structure_type", [name("B"), size(8)], die("member", [name("m"), far("type", "A")]), label="B")])
units("units_origin", [die("subprogram", [far("abstract_origin", "g"), *PLACED], die("formal_parameter", [far("abstract_origin", "q")], label="p"), label="f")],
      [die("subprogram", [far("abstract_origin", "f"), *PLACED], die("formal_parameter", [far("abstract_origin", "p")], label="q"), label="g")], target="int")


def imported(label, *children, tag="partial_unit"):
    top = unit(*children)
    top.tag, top.label = tag, label
    return top


def imports(label):
    return die("imported_unit", [far("import", label)])


def far_struct(text):
    return die("structure_type", [name(text), size(4)], die("member", [name("m"), far("type", "int")]))


emit("units_imports.s", [imported("u0", imports("u1"), INT()), imported("u1", imports("u0"), far_struct("in")),
                         imported("u2", imports("u0"), imports("u2"), far_struct("sound"), tag="compile_unit")], TAIL)
emit("units_import_circle.s", [imported("u0", die("pointer_type", [POINTER, far("type", "B")], label="A"), die("const_type", [of("A")], label="C")),
                               imported("u1", imports("u0"), die("pointer_type", [POINTER, far("type", "C")], label="B"), INT(), *users("B"), SOUND(),
                                        tag="compile_unit")], TAIL)
emit("units_import_chain.s", [imported(f"u{i}", *([imports(f"u{i + 1}")] if i < 299 else []), far_struct(f"s{i}")) for i in range(300)]
     + [imported("last", imports("u0"), INT(), far_struct("sound"), tag="compile_unit")], TAIL)
emit("units_many_imports.s", [imported("u0", far_struct("in")),
                              imported("last", INT(), far_struct("sound"), chain(200000, imports("u0")), tag="compile_unit")], TAIL)
emit("units_chain.s", [unit(*([die("typedef", [far("type", f"T{i + 1}")], label=f"T{i}")] if i < 2999 else [base(f"T{i}", "int")])) for i in range(3000)]
     + [unit(INT(), struct("s", "user", 8, die("member", [name("m"), far("type", "T0")])), SOUND())], TAIL)
