"""Programs in C, made from a number, whose units contradict each other in all ways that the language has: they share few names, and what one
unit defines another one only declares, or defines in another way.

`units(seed)` gives the texts of the units. Each compiles by itself; together they link where nothing looks for what is not there.
"""

from synthetic import Random

TAGS = "abcdef"
TYPEDEFS = ("t", "u", "v", "a")
BASES = ("int", "unsigned long", "char", "short", "_Bool", "double", "unsigned char")


class Maker:
    def __init__(self, seed):
        self.random = Random(seed)
        self.tags = TAGS[: 2 + self.below(len(TAGS) - 1)]
        self.typedefs = TYPEDEFS[: 1 + self.below(len(TYPEDEFS))]
        self.declares = self.of((2, 3, 5, 1000))
        # What a name may stand for in different units; most stand for one thing.
        self.variants = [self.versions(lambda: self.composite(i), self.changed) for i in range(len(self.tags))]
        self.enums = [self.versions(self.enumeration, lambda old: old + [(f"more{len(old)}_", 9)]) for _ in range(2)]
        self.kinds = [self.of(("struct", "struct", "union")) for _ in self.tags]
        self.aliases = [self.versions(self.alias, lambda old: self.alias()) for _ in self.typedefs]
        self.prototypes = [self.versions(lambda: [self.pointer() for _ in range(self.below(4))], lambda old: old[1:] + [("int ", "")])
                           for _ in range(3)]

    def below(self, limit):
        return self.random.below(limit)

    def of(self, items):
        return items[self.below(len(items))]

    def versions(self, make, change):
        found = [make()]
        while self.below(3) == 0 and len(found) < 3:
            found.append(change(self.of(found)))
        return found

    def pointer(self):
        """What stands in front of a name and behind it, of a type that needs nothing but names. `%n` is the word of tag n."""
        n = self.below(len(self.tags))
        const = self.of(("", "", "", "const ", "volatile "))
        return self.of((
            (f"{const}%{n} *", ""), (f"{const}%{n} *", ""), (f"%{n} **", ""), (f"%{n} *", f"[{1 + self.below(3)}]"), ("void *", ""),
            (f"enum e{self.below(2)} *", ""), (f"%{n} *(*", f")(%{self.below(len(self.tags))} *, int)"), (f"{const}{self.of(BASES)} ", ""),
            (f"{self.of(self.typedefs)}_t *", ""),
        ))

    def member(self, index, depth=0):
        kind = self.below(12 if depth == 0 else 6)
        if kind == 6:
            return ("bits", self.of(("int", "unsigned", "char")), 1 + self.below(7))
        if kind == 7:
            return ("inner", self.of(("struct", "union")), [self.member(index, 1) for _ in range(1 + self.below(3))], self.below(2))
        if kind == 8 and index:
            return ("whole", self.below(index))
        if kind == 9:
            return ("enum", self.below(2))
        if kind == 10:
            return ("plain", (f"{self.of(self.typedefs)}_t ", self.of(("", f"[{1 + self.below(3)}]"))))
        return ("plain", self.pointer())

    def composite(self, index):
        return [self.member(index) for _ in range(1 + self.below(4))]

    def changed(self, old):
        new = list(old)
        at = self.below(len(new))
        new[at:at + self.below(2)] = [self.member(0)]
        return new

    def enumeration(self):
        return [(name, self.below(4)) for name in ("one", "two", "three")[: 1 + self.below(3)]]

    def alias(self):
        kind = self.pointer()
        while "_t " in kind[0]:
            kind = self.pointer()
        return self.of((("plain", (self.of(BASES) + " ", "")), ("plain", kind), ("plain", kind), ("inner", "struct", [("plain", kind)], 1)))

    def unit(self, number):
        """A unit's text."""
        self.prefix = f"u{number}_"
        self.declared = [self.below(self.declares) == 0 for _ in self.tags]
        chosen = [self.of(found) for found in self.variants]
        self.words = [f"{kind} {tag}" for kind, tag in zip(self.kinds, self.tags)]
        out = [f"{word};" for word in self.words]
        for i, found in enumerate(self.enums):
            rows = ", ".join(f"{self.prefix if self.below(40) == 0 else ''}{name}{i} = {value}" for name, value in self.of(found))
            out.append(f"enum e{i};" if self.below(self.declares + 1) == 0 else f"enum e{i} {{ {rows} }};")
        self.has_enum = ["{" in line for line in out[-2:]]
        for name, found in zip(self.typedefs, self.aliases):
            out.append(f"typedef {self.text(self.of(found), name + '_t')};")
        for i, (word, members) in enumerate(zip(self.words, chosen)):
            if not self.declared[i]:
                end = f" {self.text(('plain', self.pointer()), 'last', True)}" if word[0] == "s" and self.below(12) == 0 else ""
                out.append(f"{word} {{ {self.members(members)}{end} }};")
        out += self.uses()
        return "\n".join(out) + "\n"

    def text(self, what, name, flexible=False):
        kind = what[0]
        if kind == "bits":
            return f"{what[1]} {name} : {what[2]}"
        if kind == "inner":
            return f"{what[1]} {{ {self.members(what[2], name + '_')} }}{' ' + name if what[3] else ''}"
        if kind == "whole":
            return self.whole(what[1], name)
        if kind == "enum":
            return f"enum e{what[1]} {name}" if self.has_enum[what[1]] else f"int {name}"
        front, behind = what[1]
        for i, word in enumerate(self.words):
            front, behind = front.replace(f"%{i}", word), behind.replace(f"%{i}", word)
        return f"{front}{name}{'[]' if flexible else ''}{behind}" + (";" if flexible else "")

    def whole(self, index, name):
        return f"{self.words[index]} {'' if not self.declared[index] else '*'}{name}"

    def members(self, members, prefix="m"):
        return " ".join(self.text(member, f"{prefix}{i}") + ";" for i, member in enumerate(members))

    def uses(self):
        """Variables and functions that make the compiler describe the types, in any order."""
        out = [f"{self.words[i]} *{self.prefix}p{i};" for i in range(len(self.tags)) if self.below(4)]
        out += [f"{name}_t *{self.prefix}t{name};" for name in self.typedefs if self.below(2)]
        out += [f"enum e{i} *{self.prefix}e{i};" for i in range(2) if self.below(2)]
        section = '__attribute__((section(".data..percpu"))) '
        variables = [self.text(("plain", self.pointer()), f"{self.prefix}v{i}") for i in range(self.below(3))]
        out += [f"{section if self.below(2) and '*' in text else ''}{text};" for text in variables]
        out.append(f"extern {self.words[0]} *shared;")
        for i, found in enumerate(self.prototypes):
            params = ", ".join(self.text(("plain", kind), f"p{n}") for n, kind in enumerate(self.of(found)))
            word = self.of(self.words)
            local = f" {word} {{ {self.of(BASES)} *local; }} x; (void)x;" if self.below(5) == 0 else ""
            out.append(f"static __attribute__((noinline)) int s{i}({params or 'void'}) {{{local} return 0; }}")
            out.append(f"void *{self.prefix}f{i} = (void *)s{i};")
            if self.below(3) == 0:
                out.append(f"int {self.prefix}g{i}({params or 'void'}) {{ return shared != 0; }}")
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            if not {"f", "s"} & {out[i][:1], out[j][:1]}:
                out[i], out[j] = out[j], out[i]
        return sorted(out, key=lambda line: (" = (void *)" in line, "shared" in line and "extern" not in line))


def units(seed, count=None):
    maker = Maker(seed)
    return [maker.unit(number) for number in range(count or 2 + maker.below(5))]
