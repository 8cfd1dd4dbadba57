"""A small ELF reader for comparing files: headers, sections, segments; both classes, both byte orders, section counts past 65535."""

import struct
from pathlib import Path

# The sections that encoding adds.
ADDED = {".BTF", ".BTF.base"}

SHT_NULL, SHT_STRTAB, SHT_NOBITS, SHF_ALLOC = 0, 3, 8, 2


class Section:
    def __init__(self, name, fields, data):
        self.name, self.data = name, data
        self.kind, self.flags, self.address, self.offset, self.size, self.link, self.info, self.align, self.entry = fields


class Segment:
    def __init__(self, kind, flags, offset, address, file_size, memory_size, align):
        self.kind, self.flags, self.offset, self.address = kind, flags, offset, address
        self.file_size, self.memory_size, self.align = file_size, memory_size, align


class Elf:
    """Raises ValueError for what is not an ELF file, struct.error for one that is cut."""

    def __init__(self, path):
        raw = self.raw = Path(path).read_bytes()
        if raw[:4] != b"\x7fELF":
            raise ValueError(f"{path}: not ELF")
        wide, order = raw[4] == 2, "<" if raw[5] == 1 else ">"
        head = struct.unpack_from(order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH"), raw, 16)
        (self.type, self.machine, _, self.entry, phoff, shoff, self.flags, _, phsize, phnum, shsize, shnum, shstr) = head
        layout = order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII")

        def header(index):
            return struct.unpack_from(layout, raw, shoff + index * shsize)

        if shoff and shnum == 0:
            shnum = header(0)[5]
        if shstr == 0xFFFF:
            shstr = header(0)[6]
        headers = [header(index) for index in range(shnum)] if shoff else []
        names = b""
        if headers:
            names = raw[headers[shstr][4]:headers[shstr][4] + headers[shstr][5]]
        self.sections = []
        for name, kind, flags, address, offset, size, link, info, align, entry in headers:
            text = names[name:names.find(b"\0", name)].decode(errors="replace")
            data = b"" if kind in (SHT_NULL, SHT_NOBITS) else raw[offset:offset + size]
            self.sections.append(Section(text, (kind, flags, address, offset, size, link, info, align, entry), data))
        self.names_index = shstr
        self.segments = []
        for index in range(phnum if phoff else 0):
            at = phoff + index * phsize
            if wide:
                kind, flags, offset, address, _, file_size, memory_size, align = struct.unpack_from(order + "IIQQQQQQ", raw, at)
            else:
                kind, offset, address, _, file_size, memory_size, flags, align = struct.unpack_from(order + "IIIIIIII", raw, at)
            self.segments.append(Segment(kind, flags, offset, address, file_size, memory_size, align))

    def section(self, name):
        """Content of the only section of that name, or None."""
        found = [section for section in self.sections if section.name == name]
        return found[0].data if len(found) == 1 else None


def changes(before, after, added):
    """What differs between two files besides sections named in `added` (which may be new or replaced): a list of lines.

    A section is known by its place in the order of all others; links between sections are compared by the name they lead to, since
    numbers may move when a section is added. Offsets of sections and segments that are loaded must stay: a program's pages are
    mapped from them. The section name table may have grown.
    """
    old, new = Elf(before), Elf(after)
    found = []
    for field in ("type", "machine", "entry", "flags"):
        if getattr(old, field) != getattr(new, field):
            found.append(f"header field {field}: {getattr(old, field):#x} became {getattr(new, field):#x}")
    a = [section for section in old.sections if section.name not in added]
    b = [section for section in new.sections if section.name not in added]
    if [section.name for section in a] != [section.name for section in b]:
        gone = {section.name for section in a} - {section.name for section in b}
        found.append(f"sections differ: {len(a)} before, {len(b)} after; gone: {sorted(gone)[:5]}")
        return found
    names = old.sections[old.names_index] if old.sections else None

    def led_to(elf, index):
        return elf.sections[index].name if 0 < index < len(elf.sections) else index

    for x, y in zip(a, b):
        for field in ("kind", "flags", "address", "size", "align", "entry"):
            if field == "size" and x is names:
                continue
            if getattr(x, field) != getattr(y, field):
                found.append(f"{x.name}: {field} {getattr(x, field):#x} became {getattr(y, field):#x}")
        if led_to(old, x.link) != led_to(new, y.link):
            found.append(f"{x.name}: link to {led_to(old, x.link)} became {led_to(new, y.link)}")
        leads = x.kind in (4, 9) or x.flags & 0x40  # relocation tables, SHF_INFO_LINK
        if (led_to(old, x.info) != led_to(new, y.info)) if leads else (x.info != y.info):
            found.append(f"{x.name}: info {x.info} became {y.info}")
        if x.flags & SHF_ALLOC and old.type != 1 and x.offset != y.offset:
            found.append(f"{x.name}: offset {x.offset:#x} became {y.offset:#x}")
        if x.kind != SHT_NULL and x is not names and x.data != y.data and x.kind not in (2, 17, 18):
            found.append(f"{x.name}: content changed")
        if x.kind in (2, 17, 18) and x.data != y.data:
            found.extend(numbers_only(old, new, x, y))
    if len(old.segments) != len(new.segments):
        found.append(f"{len(old.segments)} segments became {len(new.segments)}")
    for number, (x, y) in enumerate(zip(old.segments, new.segments)):
        loaded = x.kind != 6  # PT_PHDR may move with the table
        for field in ("kind", "flags", "address", "file_size", "memory_size", "align") + (("offset",) if loaded else ()):
            if getattr(x, field) != getattr(y, field):
                found.append(f"segment {number}: {field} {getattr(x, field):#x} became {getattr(y, field):#x}")
        if x.kind == 1 and old.raw[x.offset:x.offset + x.file_size] != new.raw[y.offset:y.offset + y.file_size]:
            # The first segment of a program usually covers the ELF header, whose section table fields change.
            a_bytes = bytearray(old.raw[x.offset:x.offset + x.file_size])
            b_bytes = bytearray(new.raw[y.offset:y.offset + y.file_size])
            if x.offset == 0:
                a_bytes[:64] = b_bytes[:64] = bytes(64)
            if a_bytes != b_bytes:
                found.append(f"segment {number}: loaded bytes changed")
    return found


def numbers_only(old, new, x, y):
    """A symbol, group or index table may change only in section numbers, and those must lead to the same names."""
    if x.size != y.size:
        return [f"{x.name}: size changed"]
    if x.kind != 2:
        # Words that are section numbers, after the flags of a group; symbols without an extended number have 0.
        order = "<" if old.raw[5] == 1 else ">"
        first = 1 if x.kind == 17 else 0
        words = [struct.unpack(f"{order}{len(data) // 4}I", data)[first:] for data in (x.data, y.data)]
        same = x.data[:4 * first] == y.data[:4 * first] and all(
            old.sections[m].name == new.sections[n].name if m and n else m == n for m, n in zip(*words))
        return [] if same else [f"{x.name}: leads to other sections"]
    wide, order = old.raw[4] == 2, "<" if old.raw[5] == 1 else ">"
    layout = order + ("IBBHQQ" if wide else "IIIBBH")
    step = struct.calcsize(layout)
    place = 3 if wide else 5
    for at in range(0, x.size - step + 1, step):
        a, b = list(struct.unpack_from(layout, x.data, at)), list(struct.unpack_from(layout, y.data, at))
        m, n = a[place], b[place]
        a[place] = b[place] = 0
        if a != b:
            return [f"{x.name}: symbol {at // step} changed"]
        if m != n and (m >= 0xFF00 or n >= 0xFF00 or old.sections[m].name != new.sections[n].name):
            return [f"{x.name}: symbol {at // step} moved from section {m} to {n}"]
    return []
