"""Writes Solaris CTF, for tests: no compiler here does any more. One record of every kind, in forms that readers treat differently."""

import struct
import zlib

INTEGER, FLOAT, POINTER, ARRAY, FUNCTION, STRUCT, UNION, ENUM, FORWARD, TYPEDEF, VOLATILE, CONST, RESTRICT = range(1, 14)


class Writer:
    def __init__(self, big=False):
        self.order = ">" if big else "<"
        self.strings, self.types, self.count = bytearray(b"\0"), bytearray(), 0

    def halves(self, *values):
        return struct.pack(f"{self.order}{len(values)}H", *values)

    def words(self, *values):
        return struct.pack(f"{self.order}{len(values)}I", *values)

    def string(self, text):
        if not text:
            return 0
        offset = len(self.strings)
        self.strings += text.encode() + b"\0"
        return offset

    def record(self, kind, parts, name, size, body=b"", long_size=None):
        """Appends a type record; its id. `size` is the type referred to, for kinds that refer to one."""
        self.types += self.words(self.string(name))
        self.types += self.halves(kind << 11 | 1 << 10 | parts, 0xFFFF if long_size is not None else size)
        if long_size is not None:
            self.types += self.words(long_size >> 32, long_size & 0xFFFFFFFF)
        self.types += body
        self.count += 1
        return self.count

    def members(self, *members):
        return b"".join(self.words(self.string(name)) + self.halves(ty, bits) for name, ty, bits in members)

    def long_members(self, *members):
        return b"".join(
            self.words(self.string(name)) + self.halves(ty, 0) + self.words(0, bits) for name, ty, bits in members
        )

    def section(self, objects, functions, compressed=False, parent=""):
        parent = self.string(parent)
        objects += b"\0" * (-len(objects) % 4)
        functions += b"\0" * (-len(functions) % 4)
        body = objects + functions + bytes(self.types)
        header = struct.pack(
            f"{self.order}HBB8I", 0xCFF1, 2, int(compressed), 0, parent, 0, 0, len(objects), len(objects) + len(functions),
            len(body), len(self.strings),
        )
        body += bytes(self.strings)
        return header + (zlib.compress(body) if compressed else body)


def sample(big=False, compressed=False, parent=""):
    """A section for a file with the functions and objects of `SOURCE`, in the order of its symbol table."""
    w = Writer(big)
    integer = w.record(INTEGER, 0, "int", 4, w.words(1 << 24 | 32))
    char = w.record(INTEGER, 0, "char", 1, w.words(3 << 24 | 8))
    long = w.record(INTEGER, 0, "long int", 8, w.words(1 << 24 | 64))
    w.record(INTEGER, 0, "_Bool", 1, w.words(4 << 24 | 8))
    bits = w.record(INTEGER, 0, "unsigned int", 4, w.words(5))
    w.record(FLOAT, 0, "double", 8, w.words(2 << 24 | 64))
    w.record(FLOAT, 0, "float", 4, w.words(1 << 24 | 32))
    pointer = w.record(POINTER, 0, "", char)
    array = w.record(ARRAY, 0, "", 0, w.halves(integer, long) + w.words(5))
    w.record(ARRAY, 0, "", 0, w.halves(array, long) + w.words(3))
    function = w.record(FUNCTION, 2, "", integer, w.halves(integer, pointer))
    w.record(FUNCTION, 3, "", integer, w.halves(integer, pointer, 0, 0))
    callback = w.record(POINTER, 0, "", function)
    color = w.record(ENUM, 2, "color", 4, w.words(w.string("RED"), 0, w.string("BLUE"), 0xFFFFFFFF))
    w.record(ENUM, 1, "sizeless", 0, w.words(w.string("ZERO"), 9))
    packed = w.record(ENUM, 1, "packed", 8, w.words(w.string("PACKED"), 1))
    struct_id = w.record(STRUCT, 8, "thing", 56, w.members(
        ("a", integer, 0), ("b1", bits, 32), ("b2", bits, 37), ("c", char, 48), ("l", long, 64), ("color", color, 128),
        ("p", pointer, 192), ("callback", callback, 256)))
    w.record(UNION, 3, "either", 56, w.members(("i", integer, 0), ("", struct_id, 0), ("e", packed, 0)))
    w.record(FORWARD, 0, "elsewhere", 0)
    typedef = w.record(TYPEDEF, 0, "thing_t", struct_id)
    volatile = w.record(VOLATILE, 0, "", integer)
    w.record(CONST, 0, "", char)
    w.record(RESTRICT, 0, "", pointer)
    w.record(0, 0, "", 0)
    w.record(STRUCT, 1, "large", 9000, w.long_members(("z", integer, 64)))
    w.record(STRUCT, 2, "larger", 0, w.long_members(("x", array, 0), ("y", integer, 0x8000)), long_size=70000)
    odd = w.record(INTEGER, 0, "odd_t", 4, w.words(1 << 24 | 32))
    w.record(STRUCT, 2, "odd", 60, w.members(("t", typedef, 0), ("v", volatile, 448)))
    w.record(STRUCT, 1, "unknown_name", 4, w.members(("w", odd, 0)))
    functions = b"".join((
        w.halves(FUNCTION << 11 | 2, integer, pointer, integer),
        w.halves(FUNCTION << 11 | 3, 0, integer, pointer, 0, 0),
        w.halves(FUNCTION << 11, integer),
    ))
    # The second object is of no known type. In the order of the symbol table.
    return w.section(w.halves(struct_id, 0, integer, pointer), functions, compressed, parent)


SOURCE = """
static int hidden[14]; int unknown; int number = 3; char *text = "x";
int f1(char *p, int i) { return i + hidden[i]; }
void f2(int a, char *p, ...) { }
int main(void) { return f1(text, unknown); }
"""
