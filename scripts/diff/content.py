"""What BTF says, without the numbers of types: a set of lines, one for each named type, function and variable.

    struct point 16 (x:int@0 y:long@64 flags:unsigned int@128:3)
    fn add(p:*struct point,q:*const struct point)int
    typedef count_t unsigned int
    var total global struct point 16

A named type is known by its kind and name, a nameless one by all it consists of. Offsets are in bits, sizes in bytes.
"""

import json

from harness import run, tool

PREFIXES = {"PTR": "*", "CONST": "const ", "VOLATILE": "volatile ", "RESTRICT": "restrict "}
AGGREGATES = {"STRUCT": "struct", "UNION": "union"}


class Types:
    def __init__(self, path):
        made = run([tool("bpftool").resolve(), "-j", "btf", "dump", "file", path])
        if made.status != 0:
            raise ValueError(f"{path} does not load: {made.text().strip()}")
        # Names that are no text come in the bytes that they have.
        self.list = json.loads(made.out.decode(errors="replace"))["types"]
        self.by_id = {t["id"]: t for t in self.list}

    @staticmethod
    def name(t):
        return "" if t["name"] == "(anon)" else t["name"]

    def of(self, number, depth=0):
        """A type as others refer to it."""
        if number == 0:
            return "void"
        t = self.by_id[number]
        kind, name = t["kind"], self.name(t)
        if depth > 20:
            return "..."
        if kind in PREFIXES:
            return PREFIXES[kind] + self.of(t["type_id"], depth + 1)
        if kind == "TYPE_TAG":
            return f"tag({name}) " + self.of(t["type_id"], depth + 1)
        if kind == "ARRAY":
            return f"[{t['nr_elems']}]" + self.of(t["type_id"], depth + 1)
        if kind == "FUNC_PROTO":
            return "fn" + self.prototype(t, depth)
        if kind in AGGREGATES:
            return f"{AGGREGATES[kind]} {name}" if name else self.aggregate(t, depth)
        if kind == "FWD":
            return f"{t['fwd_kind']} {name}"
        if kind in ("ENUM", "ENUM64"):
            return f"enum {name}" if name else self.enumeration(t)
        return name

    def prototype(self, t, depth=0):
        params = []
        for p in t["params"]:
            name = self.name(p)
            params.append((name + ":" if name else "") + self.of(p["type_id"], depth + 1))
        return f"({','.join(params)}){self.of(t['ret_type_id'], depth + 1)}"

    def aggregate(self, t, depth=0):
        members = []
        for m in t["members"]:
            bits = f":{m['bitfield_size']}" if m.get("bitfield_size") else ""
            members.append(f"{self.name(m)}:{self.of(m['type_id'], depth + 1)}@{m['bits_offset']}{bits}")
        name = self.name(t)
        return f"{AGGREGATES[t['kind']]} {name + ' ' if name else ''}{t['size']} ({' '.join(members)})"

    def enumeration(self, t):
        name = self.name(t)
        values = " ".join(f"{v['name']}={v['val']}" for v in t["values"])
        return f"enum {name + ' ' if name else ''}{t['size']} ({values})"

    def lines(self):
        sizes = {v["type_id"]: v["size"] for t in self.list if t["kind"] == "DATASEC" for v in t["vars"]}
        for t in self.list:
            kind, name = t["kind"], self.name(t)
            if kind in ("INT", "FLOAT") and not name.startswith(("DW_ATE_", "__SANITIZED_FAKE_INT__")):
                # Such are base types that only location expressions refer to; clang has fewer of these in split units.
                yield f"{name} {t['size']} {t.get('encoding', 'FLOAT')}"
            elif kind in AGGREGATES and name:
                yield self.aggregate(t)
            elif kind in ("ENUM", "ENUM64") and name:
                yield self.enumeration(t)
            elif kind == "FWD":
                yield f"{t['fwd_kind']} {name} declared"
            elif kind == "TYPEDEF":
                yield f"typedef {name} {self.of(t['type_id'])}"
            elif kind == "FUNC":
                yield f"fn {name}{self.prototype(self.by_id[t['type_id']])}"
            elif kind == "VAR":
                yield f"var {name} {t['linkage']} {self.of(t['type_id'])} {sizes.get(t['id'])}"
            elif kind == "DECL_TAG":
                yield f"decl_tag {name} {self.of(t['type_id'])} {t['component_idx']}"


def content(path):
    return frozenset(Types(path).lines())
