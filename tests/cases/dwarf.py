"""Writes DWARF by hand: a tree of DIEs in Python becomes an assembler file.

    emit("a.s", [unit(die("base_type", name("int"), byte_size=1, ...), ...)])

For inputs that no compiler writes. A DIE's attributes are triples (attribute, form, value); a value may be a number, text, a list of
bytes (a string in it stands for the eight-byte address of a symbol) or "@label": a reference to the DIE with that label.

`chain` and `deep` are for hundreds of thousands of DIEs: the assembler repeats one.
"""

TAGS = dict(
    array_type=0x01, class_type=0x02, enumeration_type=0x04, formal_parameter=0x05, lexical_block=0x0B, member=0x0D,
    pointer_type=0x0F, compile_unit=0x11, string_type=0x12, structure_type=0x13, subroutine_type=0x15, typedef=0x16, inheritance=0x1C,
    inlined_subroutine=0x1D, module=0x1E, subrange_type=0x21, base_type=0x24, const_type=0x26, enumerator=0x28, subprogram=0x2E,
    variable=0x34, namespace=0x39, imported_unit=0x3D, ptr_to_member_type=0x1F, unknown=0x7777, imported_declaration=0x08, label=0x0A,
    reference_type=0x10, union_type=0x17, template_type_parameter=0x2F, variant=0x19, variant_part=0x33, volatile_type=0x35,
    restrict_type=0x37, partial_unit=0x3C, rvalue_reference_type=0x42, atomic_type=0x47,
    set_type=0x20, with_stmt=0x22, catch_block=0x25, file_type=0x29, namelist=0x2B, packed_type=0x2D, thrown_type=0x31, try_block=0x32,
    unspecified_type=0x3B, shared_type=0x40, template_alias=0x43, coarray_type=0x44, generic_subrange=0x45, dynamic_type=0x46, immutable_type=0x4B,
    ptrauth_type=0x4300, llvm_annotation=0x6000, annotation=0x6001,
)
ATTRIBUTES = {"import": 0x18} | dict(
    location=0x02, name=0x03, byte_size=0x0B, low_pc=0x11, high_pc=0x12, language=0x13, comp_dir=0x1B, const_value=0x1C,
    inline=0x20, lower_bound=0x22, producer=0x25, upper_bound=0x2F, abstract_origin=0x31, data_member_location=0x38,
    declaration=0x3C, encoding=0x3E, external=0x3F, specification=0x47, type=0x49, containing_type=0x1D, signature=0x69,
    bit_offset=0x0C, bit_size=0x0D, annotation=0x2139,
)
FORMS = dict(
    addr=0x01, data2=0x05, data4=0x06, data8=0x07, string=0x08, block1=0x0A, data1=0x0B, sdata=0x0D, strp=0x0E, udata=0x0F,
    ref_addr=0x10, ref4=0x13, sec_offset=0x17, exprloc=0x18, flag_present=0x19, strp_sup=0x1D, ref_sup4=0x1C, ref_sig8=0x20,
    ref_sup8=0x24,
)
C11, CPLUSPLUS, GO = 0x1D, 0x04, 0x16


class Die:
    def __init__(self, tag, attributes, children, label):
        self.tag, self.attributes, self.children, self.label = tag, attributes, children, label


def die(tag, attributes=(), *children, label=None):
    return Die(tag, list(attributes), children, label)


class Repeated:
    def __init__(self, count, dies, within):
        self.count, self.dies, self.within = count, dies, within


def chain(count, *dies):
    """`dies` that many times in a row. "@next" is the first one of the next time, in the end what comes behind."""
    return Repeated(count, dies, None)


def deep(count, tag, attributes, *innermost):
    """That many DIEs without attributes that differ, each within the one before, and `innermost` in the last."""
    return Repeated(count, [die(tag, attributes)], innermost)


def name(text):
    return ("name", "string", text)


def of(label):
    return ("type", "ref4", "@" + label)


def flag(attribute):
    return (attribute, "flag_present", None)


def size(count):
    return ("byte_size", "data4", count)


def base(label, text, count=4, encoding=5):
    return die("base_type", [name(text), ("byte_size", "data1", count), ("encoding", "data1", encoding)], label=label)


def struct(label, text, count, *members):
    return die("structure_type", [name(text), size(count)], *members, label=label)


def member(text, target, offset):
    return die("member", [name(text), of(target), ("data_member_location", "data4", offset)])


def nest(tag, depth, innermost, attributes):
    """`depth` DIEs of one tag inside each other, with `attributes(level)`."""
    for level in range(depth):
        innermost = die(tag, attributes(level), innermost)
    return innermost


def unit(*children, language=C11, version=4):
    top = die(
        "compile_unit",
        [("producer", "string", "by hand"), ("language", "data2", language), name("t.c"), ("comp_dir", "string", "/x")],
        *children,
    )
    top.version = version
    return top


def emit(path, units, tail=""):
    """Writes `units` to the assembler file `path`; `tail` is assembler text for other sections."""
    abbreviations, declared, info = {}, [], []
    for number, top in enumerate(units):
        start = f".Lunit{number}"
        info += [f"{start}: .long {start}_end - {start}_body", f"{start}_body: .short {top.version}"]
        info += [".byte 1, 8", ".long .Labbrev"] if top.version >= 5 else [".long .Labbrev", ".byte 8"]
        # Iterative: the trees are deeper than Python's stack.
        stack = [top]
        while stack:
            current = stack.pop()
            if isinstance(current, str):
                info.append(current)
                continue
            if isinstance(current, Repeated):
                info.append(f".rept {current.count}\n1:")
                if current.within is None:
                    stack += [".endr\n1:", *reversed(current.dies)]
                else:
                    # The list of children that it opens is closed further down.
                    current.dies[0].children = [None]
                    stack += [f".rept {current.count}\n.byte 0\n.endr", *reversed(current.within), ".endr", *current.dies]
                continue
            key = (current.tag, bool(current.children), tuple((a, f) for a, f, _ in current.attributes))
            if key not in abbreviations:
                abbreviations[key] = len(abbreviations) + 1
                declared.append(f".uleb128 {abbreviations[key]}, {TAGS[current.tag]}\n.byte {int(key[1])}")
                declared += [f".uleb128 {ATTRIBUTES[a]}, {FORMS[f]}" for a, f in key[2]]
                declared.append(".byte 0, 0")
            if current.label:
                info.append(f".Ldie_{current.label}:")
            info.append(f".uleb128 {abbreviations[key]}")
            info += [value(form, what, start) for _, form, what in current.attributes]
            if current.children and current.children[0] is not None:
                stack.append(".uleb128 0")
                stack.extend(reversed(current.children))
        info.append(f"{start}_end:")
    with open(path, "w") as file:
        file.write(".text\n.section .debug_info,\"\",@progbits\n" + "\n".join(info))
        file.write("\n.section .debug_abbrev,\"\",@progbits\n.Labbrev:\n" + "\n".join(declared) + "\n.byte 0\n")
        file.write(tail + "\n.section .note.GNU-stack,\"\",@progbits\n")


def value(form, what, start):
    if what == "@next":
        what = f"1f - {start}"
    elif isinstance(what, str) and what.startswith("@"):
        what = f".Ldie_{what[1:]}" + (f" - {start}" if form != "ref_addr" else "")
    if form == "string":
        return f'.string "{what}"'
    if form in ("exprloc", "block1"):
        length = sum(8 if isinstance(part, str) else 1 for part in what)
        parts = [f".quad {part}" if isinstance(part, str) else f".byte {part}" for part in what]
        return "\n".join([f".uleb128 {length}", *parts])
    if form == "flag_present":
        return ""
    directive = {
        "data1": ".byte", "data2": ".short", "data4": ".long", "ref4": ".long", "data8": ".quad", "addr": ".quad",
        "udata": ".uleb128", "sdata": ".sleb128", "strp": ".long", "ref_addr": ".long", "sec_offset": ".long", "strp_sup": ".long",
        "ref_sup4": ".long", "ref_sup8": ".quad", "ref_sig8": ".quad",
    }[form]
    return f"{directive} {what}"
