"""Objects for machines that the compiler does not know, and with relocations that nobody knows, from one for x86-64."""
import struct
import sys

R_64, R_32 = 1, 10


def patched(data, machine, kinds):
    """With another machine, and other types for the relocations of sections of debugging information."""
    out = bytearray(data)
    struct.pack_into("<H", out, 18, machine)
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + index * size) for index in range(count)]
    strings = headers[names][4]
    for header in headers:
        label = data[strings + header[0]:].split(b"\0", 1)[0]
        if header[1] == 4 and label.startswith(b".rela.debug"):
            for at in range(header[4], header[4] + header[5], 24):
                info, = struct.unpack_from("<Q", data, at + 8)
                struct.pack_into("<Q", out, at + 8, info & ~0xFFFFFFFF | kinds.get(info & 0xFFFFFFFF, info & 0xFFFFFFFF))
    return out


data = open(sys.argv[1], "rb").read()
for path, machine, kinds in (
    ("loongarch64.o", 258, {R_64: 2, R_32: 1}),
    ("nobody.o", 0xBAD, {}),
    ("got.o", 62, {R_32: 9}),
):
    open(path, "wb").write(patched(data, machine, kinds))
