"""Raw BTF that nobody's encoder writes, in the folders `read` (what libbpf reads, too) and `refused`."""
import os
import struct

KINDS = dict(int=1, ptr=2, array=3, struct=4, union=5, enum=6, fwd=7, typedef=8, volatile=9, const=10, restrict=11, func=12, proto=13, var=14,
             datasec=15, decl_tag=17, type_tag=18)
DEPTH = 200000


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


class Btf:
    """Type 1 is `int`; methods return ids."""

    def __init__(self):
        self.types, self.strings, self.count = [], bytearray(b"\0"), 0
        self.add("int", "int", last=4, body=words(1 << 24 | 32))

    def name(self, text):
        if not text or isinstance(text, int):
            return text or 0
        offset = len(self.strings)
        self.strings += text.encode() + b"\0"
        return offset

    def add(self, kind, name=0, parts=0, flag=0, last=0, body=b""):
        self.types.append(words(self.name(name), flag << 31 | KINDS.get(kind, kind) << 24 | parts, last) + body)
        self.count += 1
        return self.count

    def link(self, kind, target):
        if kind == "array":
            return self.add(kind, body=words(target, 1, 4))
        return self.add(kind, "x" if kind in ("typedef", "type_tag") else 0, last=target)

    def struct(self, name, *members, size=8, kind="struct", flag=0):
        return self.add(kind, name, len(members), flag, size, b"".join(words(self.name(n), t, o) for n, t, o in members))

    def proto(self, result, *params):
        return self.add("proto", parts=len(params), last=result, body=b"".join(words(self.name("p"), t) for t in params))

    def users(self, target):
        self.struct("user", ("m", target, 0))
        self.add("func", "f", 1, last=self.proto(target, target))
        return self

    def save(self, path, **header):
        types = b"".join(self.types)
        fields = dict(magic=0xEB9F, version=1, flags=0, header=24, types=0, types_len=len(types), strings=len(types), strings_len=len(self.strings)) | header
        with open(path + ".btf", "wb") as file:
            file.write(struct.pack("<HBBIIIII", *fields.values()) + types + bytes(self.strings))


def read(text, *steps, **header):
    """Each step gets the BTF."""
    btf = Btf()
    for step in steps:
        step(btf)
    btf.save("read/" + text, **header)


def refused(text, *steps, **header):
    btf = Btf()
    for step in steps:
        step(btf)
    btf.users(1).save("refused/" + text, **header)


for folder in ("read", "refused"):
    os.makedirs(folder, exist_ok=True)

# Circles and chains. Ids are known before: 1 is `int`.
for kind in ("ptr", "typedef", "const", "volatile", "restrict", "type_tag", "array"):
    read(f"{kind}_self", lambda b: b.link(kind, 2), lambda b: b.users(2))
    read(f"{kind}_pair", lambda b: b.link(kind, 3), lambda b: b.link(kind, 2), lambda b: b.users(2))
    read(f"{kind}_chain", lambda b: [b.link(kind, i + 3) for i in range(DEPTH)], lambda b: b.link("const", 1), lambda b: b.users(2))
for kind in ("struct", "union"):
    for name in ("s", 0):
        text = kind + ("" if name else "_nameless")
        read(f"{text}_self", lambda b: b.struct(name, ("m", 2, 0), kind=kind), lambda b: b.users(2))
        read(f"{text}_pair", lambda b: b.struct(name, ("m", 3, 0), ("n", 3, 0), kind=kind), lambda b: b.struct(name, ("m", 2, 0), ("n", 2, 0), kind=kind),
             lambda b: b.users(2))
        read(f"{text}_chain", lambda b: [b.struct(name, ("m", i + 3, 0), kind=kind) for i in range(DEPTH)], lambda b: b.link("const", 1), lambda b: b.users(2))
        read(f"{text}_doubling", lambda b: [b.struct(name, ("m", i + 3, 0), ("n", i + 3, 0), kind=kind) for i in range(64)], lambda b: b.link("const", 1),
             lambda b: b.users(2))
read("proto_self", lambda b: b.proto(2, 2), lambda b: b.link("ptr", 2), lambda b: b.users(3))
read("proto_pointer", lambda b: b.link("ptr", 3), lambda b: b.proto(2, 2, 2), lambda b: b.users(2))
read("proto_typedef", lambda b: b.link("typedef", 3), lambda b: b.link("ptr", 4), lambda b: b.proto(2, 2), lambda b: b.users(2))
read("proto_chain", lambda b: [b.proto(i + 3, i + 3) for i in range(DEPTH)], lambda b: b.link("const", 1), lambda b: b.link("ptr", 2), lambda b: b.users(DEPTH + 3))
read("array_typedef", lambda b: b.link("array", 3), lambda b: b.link("typedef", 2), lambda b: b.users(3))
# Flags where there are none, counts and sizes that cannot be.
read("flags", lambda b: b.struct("s", ("m", 1, 0xFF00001F), flag=1), lambda b: b.struct("t", ("m", 1, 0xFFFFFFFF)),
     lambda b: b.struct("u", ("m", 1, 0x80000001), ("n", 1, 0x01FFFFFF), flag=1), lambda b: b.add("ptr", flag=1, last=1),
     lambda b: b.add("typedef", "t", flag=1, last=1), lambda b: b.add("fwd", "f", flag=1), lambda b: b.users(1))
read("integers", lambda b: b.add("int", "i", last=4, body=words(0xFFFFFFFF)), lambda b: b.add("int", "z", body=words(0)),
     lambda b: b.add("int", "large", last=0xFFFFFFFF, body=words(255)), lambda b: b.struct("s", ("a", 2, 0), ("b", 3, 0), ("c", 4, 0xFFFFFFF8)), lambda b: b.users(2))
read("members", lambda b: b.struct("s", *[("m", 1, 0)] * 65535), lambda b: b.users(2))
read("elements", *[lambda b, i=i: b.add("array", body=words(i, 1, 0xFFFFFFFF)) for i in (1, 2, 3)], lambda b: b.users(4))
# Neither the version nor what a prototype returns is looked at.
for version in (0, 2, 255):
    read(f"version_{version}", lambda b: b.users(1), version=version)
read("proto_result", lambda b: b.proto(99), lambda b: b.users(1))
# Ids and names that are not there, kinds that nobody knows.
for at, step in enumerate((
    lambda b: b.link("ptr", 99), lambda b: b.link("array", 99), lambda b: b.link("typedef", 0x7FFFFFFF), lambda b: b.link("const", 0xFFFFFFFF),
    lambda b: b.struct("s", ("m", 99, 0)), lambda b: b.proto(0, 99), lambda b: b.add("func", "f", last=1), lambda b: b.add("func", "f", last=2),
    lambda b: b.add("datasec", ".data", 1, body=words(99, 0, 4)), lambda b: b.add("decl_tag", "t", last=99, body=words(0xFFFFFFFF)),
)):
    refused(f"id_{at}", step)
refused("name", lambda b: b.add("struct", 0x7FFFFFFF, last=4))
refused("member_name", lambda b: b.struct("s", (0x7FFFFFF0, 1, 0)))
refused("enumerator_name", lambda b: b.add("enum", "e", 1, last=4, body=words(0x7FFFFFF0, 1)))
refused("kind_20", lambda b: b.add(20, "k"))
refused("kind_31", lambda b: b.add(31, "k"))
for field, values in dict(header=(0, 8, 23, 1000, 0xFFFFFFFF), types_len=(8, 1 << 20, 0xFFFFFFFF), types=(100, 0xFFFFFFF0), strings=(1000, 0xFFFFFFFF),
                          strings_len=(0, 1000, 0xFFFFFFFF), magic=(0, 0xFFFF)).items():
    for value in values:
        refused(f"{field}_{value:x}", **{field: value})
whole = open("read/members.btf", "rb").read()
for length in (1, 4, 23, 24, 25, 40, len(whole) - 1):
    with open(f"refused/cut_{length}.btf", "wb") as file:
        file.write(whole[:length])
