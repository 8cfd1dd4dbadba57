"""A program that was never compiled: an ELF file with DWARF 5 of as many units as asked for, the same bytes on every machine.

    python3 scripts/diff/synthetic.py OUT [--units 100] [--headers 24] [--relocatable]

For what compilers' versions must not change: counting instructions, and growth. It has the shape of a kernel's debugging information
where that matters for speed: units begin with the types of the headers that they include, which refer to each other in circles, so that most
types of a unit repeat those of others; each adds some of its own, and functions with parameters in registers. Each unit has an
abbreviation table; strings are shared, or, in a file like a module, each unit's own.
"""

import argparse
import struct
from pathlib import Path

TEXT, DATA = 0x401000, 0x20000000

# Tag, whether it has children, attributes with their forms.
STRP, REF4, DATA1, DATA2, DATA8, ADDR, FLAG, EXPR, UDATA = 0x0E, 0x13, 0x0B, 0x05, 0x07, 0x01, 0x19, 0x18, 0x0F
NAME, SIBLING, SIZE, TYPE = (0x03, STRP), (0x01, REF4), (0x0B, DATA1), (0x49, REF4)
ABBREVIATIONS = {
    "unit": (0x11, 1, [(0x25, STRP), (0x13, DATA2), NAME, (0x1B, STRP)]),
    "base": (0x24, 0, [SIZE, (0x3E, DATA1), NAME]),
    "pointer": (0x0F, 0, [SIZE, TYPE]),
    "void": (0x0F, 0, [SIZE]),
    "const": (0x26, 0, [TYPE]),
    "typedef": (0x16, 0, [NAME, TYPE]),
    "struct": (0x13, 1, [NAME, (0x0B, DATA2), SIBLING]),
    "union": (0x17, 1, [(0x0B, DATA2), SIBLING]),
    "declared": (0x13, 0, [NAME, (0x3C, FLAG)]),
    "member": (0x0D, 0, [NAME, TYPE, (0x38, UDATA)]),
    "bits": (0x0D, 0, [NAME, TYPE, (0x0D, DATA1), (0x6B, DATA2)]),
    "enum": (0x04, 1, [NAME, SIZE, TYPE, SIBLING]),
    "enumerator": (0x28, 0, [NAME, (0x1C, DATA1)]),
    "array": (0x01, 1, [TYPE, SIBLING]),
    "range": (0x21, 0, [TYPE, (0x2F, DATA1)]),
    "prototype": (0x15, 1, [(0x27, FLAG), TYPE, SIBLING]),
    "nameless": (0x05, 0, [TYPE]),
    "function": (0x2E, 1, [(0x3F, FLAG), NAME, TYPE, (0x11, ADDR), (0x12, DATA8), SIBLING]),
    "parameter": (0x05, 0, [NAME, TYPE, (0x02, EXPR)]),
    "block": (0x0B, 1, [(0x11, ADDR), (0x12, DATA8)]),
    "local": (0x34, 0, [NAME, TYPE]),
    "variable": (0x34, 0, [NAME, TYPE, (0x3F, FLAG), (0x02, EXPR)]),
}
CODES = {name: code for code, name in enumerate(ABBREVIATIONS, 1)}
REGISTERS = [5, 4, 1, 2, 8, 9]  # of parameters, as DWARF numbers those of x86-64


def uleb(value):
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def abbreviations():
    out = bytearray()
    for name, (tag, children, attributes) in ABBREVIATIONS.items():
        out += uleb(CODES[name]) + uleb(tag) + bytes([children])
        for attribute, form in attributes:
            out += uleb(attribute) + uleb(form)
        out += b"\0\0"
    return bytes(out) + b"\0"


class Random:
    """Of our own, since Python's may change."""

    def __init__(self, seed):
        self.state = seed * 2654435761 + 1

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % limit


class Strings:
    def __init__(self):
        self.bytes, self.known = bytearray(b"\0"), {}

    def offset(self, text):
        if text not in self.known:
            self.known[text] = len(self.bytes)
            self.bytes += text.encode() + b"\0"
        return self.known[text]


class Entries:
    """Entries of a unit, from its start on. References are filled in by `settle`."""

    def __init__(self, strings, start=b"", labels=()):
        self.out, self.labels, self.fixups, self.strings = bytearray(start), dict(labels), [], strings
        self.open = []
        self.names = []  # places of string offsets, with the strings

    def entry(self, kind, *values, label=None):
        if label:
            self.labels[label] = len(self.out)
        self.out += uleb(CODES[kind])
        values = iter(values)
        for attribute, form in ABBREVIATIONS[kind][2]:
            if attribute == 0x01 and form == REF4:  # the sibling
                self.open.append(len(self.out))
                self.out += b"\0\0\0\0"
            elif form == FLAG:
                pass
            else:
                self.value(form, next(values))
        if ABBREVIATIONS[kind][1] and (0x01, REF4) not in ABBREVIATIONS[kind][2]:
            self.open.append(None)

    def value(self, form, value):
        if form == STRP:
            self.names.append((len(self.out), value))
            self.out += struct.pack("<I", self.strings.offset(value))
        elif form == REF4:
            self.fixups.append((len(self.out), value))
            self.out += b"\0\0\0\0"
        elif form == EXPR:
            self.out += uleb(len(value)) + value
        elif form == UDATA:
            self.out += uleb(value)
        else:
            self.out += value.to_bytes({DATA1: 1, DATA2: 2, DATA8: 8, ADDR: 8}[form], "little")

    def end(self):
        self.out.append(0)
        at = self.open.pop()
        if at is not None:
            struct.pack_into("<I", self.out, at, len(self.out))

    def settle(self):
        for at, label in self.fixups:
            struct.pack_into("<I", self.out, at, self.labels[label])
        self.fixups = []


def structure(entries, random, name, targets, members):
    """A struct of pointers, integers, arrays and bit-fields; `targets` are labels of what it may point to."""
    entries.entry("struct", name, members * 8, label=name)
    for i in range(members):
        text = f"{name[:6]}_{'abcdefghijklmnop'[i % 16]}{random.below(40)}"
        if random.below(12) == 0:
            entries.entry("bits", text, "unsigned", 1 + random.below(7), i * 64)
        else:
            entries.entry("member", text, targets[random.below(len(targets))], i * 8)
    entries.end()
    entries.entry("pointer", 8, name, label=f"*{name}")


def header(entries, number, random, known):
    """The types of one header: they refer to each other, and to those of headers before. Returns what others may refer to."""
    own = [f"h{number}_struct{i}" for i in range(12)]
    targets = [f"*{name}" for name in own] + known[-40:] + ["int", "long", "*void", "u8"]
    for i, name in enumerate(own):
        structure(entries, random, name, targets, 3 + random.below(14))
        if i % 3 == 0:
            entries.entry("typedef", f"{name}_t", name, label=f"{name}_t")
        if i % 4 == 0:
            entries.entry("const", name, label=f"const {name}")
            entries.entry("pointer", 8, f"const {name}")
        if i % 6 == 0:
            entries.entry("array", f"*{name}", label=f"{name}[]")
            entries.entry("range", "long", 3 + i)
            entries.end()
    entries.entry("enum", f"h{number}_kind", 4, "unsigned", label=f"h{number}_kind")
    for i in range(8):
        entries.entry("enumerator", f"H{number}_KIND_{i}", i)
    entries.end()
    for i in range(4):
        entries.entry("prototype", "int", label=f"h{number}_call{i}")
        for target in own[i:i + 3]:
            entries.entry("nameless", f"*{target}")
        entries.end()
        entries.entry("pointer", 8, f"h{number}_call{i}", label=f"*h{number}_call{i}")
    entries.entry("declared", f"h{number}_opaque", label=f"h{number}_opaque")
    entries.entry("pointer", 8, f"h{number}_opaque", label=f"*h{number}_opaque")
    return known + [f"*{name}" for name in own] + [f"*h{number}_call{i}" for i in range(4)]


def basics(entries):
    for name, count, encoding in (("int", 4, 5), ("unsigned", 4, 7), ("long", 8, 5), ("char", 1, 6)):
        entries.entry("base", count, encoding, {"unsigned": "unsigned int"}.get(name, name), label=name)
    entries.entry("typedef", "u8", "char", label="u8")
    entries.entry("void", 8, label="*void")


def headers(strings, first, count):
    """What units begin with that include the first N headers, for each N."""
    entries, known, all_of_them = Entries(strings, first), [], []
    basics(entries)
    for number in range(count):
        known = header(entries, number, Random(number), known)
        entries.settle()
        all_of_them.append((bytes(entries.out), dict(entries.labels), known, list(entries.names)))
    return all_of_them


def own_part(entries, number, random, known):
    """Types and functions that only this unit has. Returns names and addresses of functions and variables."""
    functions, variables = [], []
    own = [f"u{number}_struct{i}" for i in range(4)]
    targets = [f"*{name}" for name in own] + known[-60:] + ["int", "*void"]
    for name in own:
        structure(entries, random, name, targets, 4 + random.below(10))
    for i in range(10):
        name, address = f"u{number}_function{i}", TEXT + (number * 10 + i) * 64
        functions.append((name, address))
        entries.entry("function", name, "int", address, 60)
        for p in range(random.below(5)):
            entries.entry("parameter", f"arg{p}", targets[random.below(len(targets))], bytes([0x50 + REGISTERS[p]]))
        entries.entry("block", address + 8, 40)
        for i in range(4):
            entries.entry("local", f"local{i}", targets[random.below(len(targets))])
        entries.end()
        entries.end()
    name, address = f"u{number}_variable", DATA + number * 8
    variables.append((name, address))
    entries.entry("variable", name, targets[0], b"\x03" + struct.pack("<Q", address))
    return functions, variables


def write(path, units=100, header_count=24, relocatable=False):
    """Writes the file; every unit includes between a quarter and all of the headers."""
    table = abbreviations()
    shared = Strings()
    cached = None
    info, abbrevs, strings, symbols = bytearray(), bytearray(), bytearray(), []
    for number in range(units):
        random = Random(1000 + number)
        own_strings = Strings() if relocatable else shared
        # 12 bytes of unit header.
        top = Entries(own_strings, b"\0" * 12)
        top.entry("unit", "nobody's compiler", 0x1D, "unit.c", "/nowhere")
        if cached is None or relocatable:
            cached = headers(own_strings, top.out, header_count)
        start, labels, known, _ = cached[header_count // 4 + random.below(header_count - header_count // 4)]
        entries = Entries(own_strings, start, labels)
        entries.out[12:len(top.out)] = top.out[12:]
        found = own_part(entries, number, random, known)
        symbols += [(name, address, 2, 1) for name, address in found[0]]
        symbols += [(name, address, 1, 2) for name, address in found[1]]
        entries.settle()
        entries.out.append(0)
        struct.pack_into("<IHBBI", entries.out, 0, len(entries.out) - 4, 5, 1, 8, len(abbrevs))
        if relocatable:
            # Offsets are those in the unit's own strings up to here.
            for at, text in string_places(entries, top, cached, start):
                struct.pack_into("<I", entries.out, at, len(strings) + own_strings.offset(text))
            strings += own_strings.bytes
        info += entries.out
        abbrevs += table
    if not relocatable:
        strings = shared.bytes
    elf(path, bytes(info), bytes(abbrevs), bytes(strings), symbols, units, relocatable)


def string_places(entries, top, cached, start):
    of_headers = next(names for begin, _, _, names in cached if begin is start)
    return top.names + of_headers + entries.names


def elf(path, info, abbrevs, strings, symbols, units, relocatable):
    names, symtab = Strings(), bytearray(24)
    for name, address, kind, section in symbols:
        symtab += struct.pack("<IBBHQQ", names.offset(name), 0x10 | kind, 0, section, address, 60 if kind == 2 else 8)
    nobits, progbits = 8, 1
    sections = [
        (".text", nobits, 6, TEXT, units * 640, b""),
        (".data", nobits, 3, DATA, units * 8, b""),
        (".debug_info", progbits, 0, 0, 0, info),
        (".debug_abbrev", progbits, 0, 0, 0, abbrevs),
        (".debug_str", progbits, 0x30, 0, 0, strings),
        (".symtab", 2, 0, 0, 0, bytes(symtab)),
        (".strtab", 3, 0, 0, 0, bytes(names.bytes)),
    ]
    section_names = Strings()
    for name, *_ in sections + [(".shstrtab",)]:
        section_names.offset(name)
    sections.append((".shstrtab", 3, 0, 0, 0, bytes(section_names.bytes)))
    body, headers_out = bytearray(64), bytearray(64)
    for name, kind, flags, address, size, content in sections:
        body += b"\0" * (-len(body) % 8)
        link, info_field = (7, 1) if name == ".symtab" else (0, 0)
        headers_out += struct.pack("<IIQQQQIIQQ", section_names.offset(name), kind, flags, 0 if relocatable else address, len(body),
                                   size or len(content), link, info_field, 1 if name == ".debug_str" else 8,
                                   24 if name == ".symtab" else 1 if name == ".debug_str" else 0)
        body += content
    body += b"\0" * (-len(body) % 8)
    body[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 1 if relocatable else 2, 62, 1, 0, 0, len(body), 0, 64, 0, 0, 64,
                            len(sections) + 1, len(sections))
    with open(path, "wb") as file:
        file.write(body)
        file.write(headers_out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="synthetic.py")
    parser.add_argument("out", type=Path)
    parser.add_argument("--units", type=int, default=100)
    parser.add_argument("--headers", type=int, default=24)
    parser.add_argument("--relocatable", action="store_true")
    options = parser.parse_args()
    write(options.out, options.units, options.headers, options.relocatable)
