"""How two outputs about C++ are compared: chunk by chunk, a chunk being a line that starts at the margin and what is indented below it.

What C prints twice (docs/differences.md, "A nested nameless type is shown once") is taken out of its chunks by the rule that says which one
is the second; lines that follow from C's sizes of pointers to members are accepted where such a member was seen, and nowhere else. All other
lines must be the same or one of the documented pairs, in the same order.
"""

import re

from documented import documented, same_but_for_spaces

# The size of a pointer to a member in members, variables, typedefs and on its own: that of an address, or of two; C takes that of the member.
OF_MEMBER = re.compile(rb"((?:::\* \w+|_M_head_impl); +/\* *(?:size:|\d+) +|_type tag not supported! \*/; /\* size: )\d+(?= \*/)")
# The same by the type's name: a typedef's, or that of a union of nothing else.
BY_NAME = re.compile(rb"(\s*(?:const |volatile )*(?:typedef )?(\S.*?) +\w+; +/\* *(?:size:|\d+) +)\d+(?= \*/)")
ADDRESSES = re.compile(rb" (?:8|16) \*/")
SIZE = re.compile(rb"(\} /\* size: )\d+(?= \*/)")
# A typedef of a pointer to a member (by an address, or by the name of another typedef), and of what C prints no name of.
IS_OF_MEMBER = re.compile(rb"typedef [^\n]*::\* (\w+);")
OF_ANOTHER = re.compile(rb"typedef ([\w:]*) (\w+);")
# A pointer to a member whose name is cut, as it is longer than what holds names.
CUT = re.compile(rb"(\S.{120,} \w+; /\* size: )\d+(?= \*/)")
# A hole before a pointer to a member function that C takes for smaller.
HOLE_BEFORE = re.compile(rb"((?:bytes?|bits?) of padding)?,? ?\d+ holes?(?= \*/)")
# What follows from a wrong size of one member for its struct.
FOLLOWS = re.compile(
    rb"\s*/\* (?:padding:|paddings:|sum members:|member types with |size: \d+, cachelines: |last cacheline: |XXX \d+ bytes? hole|Force padding: \*/$).*"
    rb"|\t+[^;]*::\* +:\d+;"
)
# The same for whoever has such a struct as a member.
FOLLOWS_IN_OTHERS = re.compile(rb"\s*/\* (?:XXX last struct has |paddings:|member types with ).*")
# What a chunk defines, and the types of its members and bases.
HEAD = re.compile(rb"(?m)^\t*(?:typedef )?(?:struct|class|union) ([^\n{]+?)(?: : [^\n]*)?(?: __attribute__[^\n]*)? \{$")
MEMBER = re.compile(rb"(?m)^\t*(?:/\* )?(?:const |volatile )*(?:struct|class|union) ([^\n]+?) +(?:\w+(?:\[\d+\])*|<ancestor>);")
BOUNDARY = re.compile(rb"\t+/\* --- cacheline \d+ boundary .* --- \*/")
OPENS = re.compile(rb"\t+(?:typedef )?(?:struct|union|enum|class)(?: : \w+)?(?: __attribute__ ?\(\(.*\)\))? \{")
# Before a line at the margin, unless that goes on with a class.
CHUNK = re.compile(rb"\n(?=[^\s{}])(?!(?:public|protected|private):$)", re.M)
INDENT = re.compile(rb"\t*")
COMMENT = re.compile(rb"/\*.*?\*/")


def content(lines):
    """What a block declares, without where it lies."""
    return re.sub(rb"\s", b"", COMMENT.sub(b"", b"\n".join(lines)))


def once(lines):
    """A chunk of C's without the second copies: blocks of a nameless type that end without a name or a place, where a block beside
    them, which has one, declares the same. (Within a typedef, or a member whose typedef is opened, C gives such a copy that one's name.)"""
    # Open blocks, innermost last: where each starts, and what was closed in it: (start, end, how it ends, content).
    stack, doomed = [(0, [])], set()
    for number, line in enumerate(lines):
        bare = line.lstrip(b"\t")
        if bare.endswith(b"{"):
            stack.append((number, []))
        elif bare.startswith(b"}") and len(stack) > 1:
            start, inner = stack.pop()
            doomed.update(copies(inner, bare))
            kept = [lines[at] for at in range(start + 1, number) if at not in doomed]
            end = bare if OPENS.fullmatch(lines[start]) else b""
            stack[-1][1].append((start, number, end, content([lines[start].replace(b"typedef ", b""), *kept])))
    for _, inner in stack:
        doomed.update(copies(inner, b""))
    return [line for number, line in enumerate(lines) if number not in doomed]


def copies(blocks, around):
    """The lines of second copies among the blocks in one that ends like `around`."""
    own = (b"};", around.split(b";")[0] + b";")
    used = {text for _, _, end, text in blocks if end not in own}
    for start, end, ending, text in blocks:
        if ending in own and text in used:
            yield from range(start, end + 1)


def of_members(output):
    """Names of typedefs of pointers to members, and of typedefs of them."""
    names = set(IS_OF_MEMBER.findall(output))
    others = set(OF_ANOTHER.findall(output))
    while more := {name for of, name in others if of in names} - names:
        names |= more
    return names


def holder(lines, number):
    """The name of the type that a line belongs to."""
    depth = len(INDENT.match(lines[min(number, len(lines) - 1)])[0])
    for line in reversed(lines[:number]):
        if line.endswith(b"{") and len(INDENT.match(line)[0]) < max(depth, 1):
            found = HEAD.match(line)
            return found[1] if found else b""
    return b""


class Comparison:
    """Of two outputs. What a chunk owes to another one is known at the end only."""

    def __init__(self, output):
        self.names = of_members(output)
        # Structs that have a member of a wrong size in C, and chunks in which C says something for the sake of a member's type.
        self.affected, self.owing = set(), []

    def wrong_size(self, theirs, ours):
        """Whether a pair of lines differs in what C takes for the size of a pointer to a member, and ours is that of one or two addresses."""
        if not ADDRESSES.search(ours):
            return False
        if any(same_but_for_spaces(kind.sub(rb"\1", theirs), kind.sub(rb"\1", ours)) for kind in (OF_MEMBER, CUT)):
            return True
        found = BY_NAME.match(ours)
        return bool(found) and found[2] in self.names and same_but_for_spaces(BY_NAME.sub(rb"\1", theirs), BY_NAME.sub(rb"\1", ours))

    def chunk(self, theirs, ours):
        """The first undocumented difference of two chunks, or nothing."""
        before, right = theirs.split(b"\n"), ours.split(b"\n")
        left = once(before)
        fewer = len(left) < len(before)
        i = j = 0
        wrong, owing = set(), set()
        while i < len(left) or j < len(right):
            x, y = (lines[at] if at < len(lines) else b"" for lines, at in ((left, i), (right, j)))
            one, other = i < len(left), j < len(right)
            if one and other and (x == y or documented(x, y)):
                i, j = i + 1, j + 1
            elif one and other and self.wrong_size(x, y):
                wrong.add(holder(right, j))
                i, j = i + 1, j + 1
            elif one and other and FOLLOWS_IN_OTHERS.fullmatch(x) and same_but_for_spaces(HOLE_BEFORE.sub(rb"\1", x), HOLE_BEFORE.sub(rb"\1", y)):
                owing.add(holder(right, j))
                i, j = i + 1, j + 1
            elif one and (not x.strip() or fewer and BOUNDARY.fullmatch(x)):
                i += 1
            elif other and (not y.strip() or fewer and BOUNDARY.fullmatch(y)):
                j += 1
            elif one and (FOLLOWS.fullmatch(x) or FOLLOWS_IN_OTHERS.fullmatch(x)):
                owing.add(holder(right, j))
                i += 1
            elif other and (FOLLOWS.fullmatch(y) or FOLLOWS_IN_OTHERS.fullmatch(y)):
                owing.add(holder(right, j))
                j += 1
            elif one and other and self.about_members(right[0]) and SIZE.sub(rb"\1", x) == SIZE.sub(rb"\1", y):
                i, j = i + 1, j + 1
            else:
                return f"C has `{show(x)}`, ours `{show(y)}`"
        self.affected |= wrong - {b""}
        if owing := owing - wrong:
            self.owing.append((owing, set(MEMBER.findall(ours)), right[0]))
        return ""

    def about_members(self, function):
        """Whether a function's head has a pointer to member in it, spelled out or by name."""
        return b"::*" in function or not self.names.isdisjoint(re.findall(rb"\w+", function))

    def unpaid(self):
        """A chunk that differs for the sake of a type that does not."""
        owing = [(heads - self.affected, types, where) for heads, types, where in self.owing if heads - self.affected]
        while paid := [heads for heads, types, _ in owing if types & self.affected]:
            owing = [item for item in owing if not item[1] & self.affected]
            self.affected.update(*paid)
        return f"`{show(owing[0][2])}` has other holes or paddings, and no member of a type that differs" if owing else ""


def show(line):
    return line.decode(errors="replace")[:120]


def difference_in_cxx(theirs, ours):
    """The first undocumented difference as text, or nothing."""
    if theirs == ours:
        return ""
    a, b = (CHUNK.split(data) for data in (theirs, ours))
    comparison = Comparison(ours)
    for x, y in zip(a, b):
        if x != y and (found := comparison.chunk(x, y)):
            return f"in `{show(x.split(bytes([10]))[0])}`: {found}"
    if len(a) != len(b):
        return f"C has {len(a)} chunks, ours {len(b)}, the same as far as both go"
    return comparison.unpaid()
