"""How two outputs about C++ are compared: chunk by chunk, a chunk being a line that starts at the margin and what is indented below it.

What C prints twice (docs/differences.md, "A nested nameless type is shown once") is taken out of its chunks by the rule that says which one
is the second; lines that follow from C's sizes of pointers to members are accepted where such a member was seen, and nowhere else. All other
lines must be the same or one of the documented pairs, in the same order.
"""

import collections
import re

from documented import behind_pointer, documented, same_but_for_spaces

# The size of a pointer to a member in members, variables, typedefs and on its own: that of an address, or of two; C takes that of the member.
OF_MEMBER = re.compile(rb"((?:::\* +\w+(?:\[\d+\])*|_M_head_impl|^(?:typedef)?\s*\w+); +/\* *(?:size:|\d+) +|_type tag not supported! \*/; /\* size: )\d+(?= \*/)")
# The same by the type's name: a typedef's, or that of a union of nothing else.
BY_NAME = re.compile(rb"(\s*(?:const |volatile )*(?:typedef )?(\S.*?) +\w+; +/\* *(?:size:|\d+) +)\d+(?= \*/)")
ADDRESSES = re.compile(rb" (?:8|16) \*/")
SIZE = re.compile(rb"(\} /\* size: )\d+(?= \*/)")
# A typedef of a pointer to a member (by an address, or by the name of another typedef), and of what C prints no name of.
IS_OF_MEMBER = re.compile(rb"typedef [^\n]*::\* (\w+);")
IS_OTHER_TO_C = re.compile(rb"typedef (?:[^\n]*(?:::\*|&&)|decltype\(nullptr\)) ?\(?(?:[\w:]*::\*|&&)?(\w+)\)?[^\n]*;")
# In place of a member whose type is that of nullptr.
NOT_FOUND = re.compile(rb"\s*<ERROR\(__class__fprintf:\d+\): 0 not found!>")
OF_VOID = re.compile(rb"(typedef void \w+; /\* size: )\d+(?= \*/)")
SIZES = re.compile(rb"(?: +|(?<=size: ))\d+(?= \*/)")
# What pglobal and pdwtags have of a variable of that type.
NOTHING = re.compile(rb";;? /\* (?:size: )?(?:\d+|N) \*/")
OF_ANOTHER = re.compile(rb"typedef ([\w:]*) (\w+);")
# A pointer to a member whose name is cut, as it is longer than what holds names.
CUT = re.compile(rb"(\S.{120,} \w+; /\* size: )\d+(?= \*/)")
# A hole before a pointer to a member function that C takes for smaller.
HOLE_BEFORE = re.compile(rb"((?:bytes?|bits?) of padding)?,? ?\d+ holes?(?= \*/)")
# What follows from a wrong size of one member for its struct.
FOLLOWS = re.compile(
    rb"\s*/\* (?:padding:|paddings:|sum members:|member types with |size: \d+, cachelines: |last cacheline: |Bitfield combined with next fields|XXX \d+ bytes? hole|Force padding: \*/$).*"
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


# What stands in front of the name in the parentheses of a declarator.
MARK = re.compile(rb"\*?&&?|(?:[^()]*?|[^()]*<.*>)::\*(?:&&?)?")
ELEMENTS = re.compile(rb"(?:\[\d+\])+")
RVALUE = re.compile(rb" &&(?=[ ,();]|$)")
OPERATOR = re.compile(rb"\boperator ?(?:<=>|<<=?|>>=?|->\*?|[<>]=?|\(\))")
# What may stand in front of a type on a line.
BEFORE = re.compile(rb"\t*(?:(?:typedef|virtual|inline|extern|static) |/\* (?=\S+ +<ancestor>))*")
PROTOTYPE = re.compile(rb"prototype: | -> ")
# A function whose prototype alone has changed, and how many have.
CHANGED = re.compile(rb"  \S.* \| +\+0 *(?:# \d+ -> \d+, prototype: (.*) -> (.*))?")
CHANGES = re.compile(rb" (\d+) functions? changed(.*)")
# A parameter without a type, as C has it.
EMPTY = re.compile(rb", [,)]|,  \w+[,)]|\( \w+[,)]|\(,")
# The same on a line of its own.
ALONE = re.compile(rb"\t+((?: \w+)?[,)].*)")
OTHER_WORDS = re.compile(rb"&|::\*|nullptr")
NULLPTR = b"decltype(nullptr)"
# What pdwtags has of that type, which C does not know.
OWN_CHUNK = re.compile(rb"^/\* \d+ \*/\ndecltype\(nullptr\)\n /\* size: \d+ \*/\n\n?", re.M)


def closing(line, start):
    """Behind the parentheses that open at `start`."""
    depth = 0
    for at in range(start, len(line)):
        depth += {b"(": 1, b")": -1}.get(line[at : at + 1], 0)
        if depth == 0:
            return at + 1
    return len(line)


def start_of_type(line, end):
    """Where the type begins that ends at `end`: at a comma or parenthesis around it, or at the start of what is declared."""
    # A prototype that codiff shows begins inside of a line.
    starts = [found.end() for found in PROTOTYPE.finditer(line, 0, end)]
    depth, first = 0, max([BEFORE.match(line).end(), *starts])
    for at in range(end - 1, first - 1, -1):
        char = line[at : at + 1]
        depth += char in b")>]"
        if depth == 0 and char in b"(,<":
            return at + 1
        depth -= char in b"(<["
    return first


def in_a_name(line, at):
    """Whether a place is within the arguments of a template, which are part of its name."""
    # A name that is cut behind the bracket has no end.
    before = OPERATOR.sub(b"", line[:at]).replace(b"<,", b",")
    return before.count(b"<") > before.count(b">")


def folded(line):
    """A declarator with a reference or a pointer to a member inside, as C has it: the type with the mark, the name behind."""
    for found in re.finditer(rb"\(", line):
        start, end = found.start(), closing(line, found.start())
        mark = MARK.match(line, start + 1, end)
        if not mark or line[end : end + 1] not in (b"(", b"[") or in_a_name(line, start):
            continue
        name, text = line[mark.end() : end - 1], re.sub(rb"(?<=\*)(?=&)", b" ", b" " + mark[0] + b" ")
        if line[end : end + 1] == b"(":
            behind = closing(line, end)
            text = b" ()" + line[end:behind] + text
        else:
            behind = ELEMENTS.match(line, end).end()
        return line[:start].rstrip() + text + name + line[behind:]
    return line


def as_c(line):
    """A line of ours in C's words, as far as they are always others: what docs/differences.md says of declarators that C++ alone has, of
    references to rvalues, and of the type of nullptr."""
    while (changed := folded(line)) != line:
        line = changed
    at = 0
    while found := RVALUE.search(line, at):
        at = found.end()
        if not in_a_name(line, found.start()):
            at = start_of_type(line, found.start())
            line = line[:at] + b" " + line[found.end() :]
    if NULLPTR in line:
        # In a declaration of its own, and behind a pointer or qualifier, it is void to C; a parameter has no type that C finds.
        line = re.sub(rb"(?<=[(,] )decltype\(nullptr\)(?= ?\w*[,)])|(?<=\()decltype\(nullptr\)(?= ?\w*[,)])", b"<ERROR: type 0 not found>", line)
        line = line.replace(NULLPTR, b"void")
    return line


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
    names = set(IS_OF_MEMBER.findall(output)) | set(IS_OTHER_TO_C.findall(output))
    others = set(OF_ANOTHER.findall(output))
    while more := {name for of, name in others if of in names} - names:
        names |= more
    return names


def head_of(lines, number):
    """The head of the function whose end is at `number`."""
    opening = max((at for at in range(number) if lines[at] == b"{"), default=1)
    return lines[opening - 1]


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
        # Lines that C has in other words, as it has them; and those of them that are about the type of nullptr.
        self.others, self.null = set(), set()
        # How many functions have changed to codiff that have not to C.
        self.more = 0
        # Structs that have a member of a wrong size in C, and chunks in which C says something for the sake of a member's type.
        self.affected, self.owing = set(), []

    def in_c_words(self, output):
        lines = OWN_CHUNK.sub(b"", output).split(b"\n")
        for number, line in enumerate(lines):
            if OTHER_WORDS.search(line) and (there := as_c(line)) != line:
                self.others.add(there)
                if NULLPTR in line:
                    self.null.add(there)
                lines[number] = there
        return b"\n".join(lines)

    def is_other(self, theirs, ours):
        if ours in self.null:
            # The name of a variable's type.
            theirs = theirs.replace(b"(null) ", b"void ")
        return ours in self.others and same_but_for_spaces(theirs, ours) or is_cut_somewhere(theirs, ours)

    def wrong_size(self, theirs, ours):
        """Whether a pair of lines differs in what C takes for the size of a pointer to a member, and ours is that of one or two addresses."""
        if not ADDRESSES.search(ours):
            return False
        if any(same_but_for_spaces(kind.sub(rb"\1", theirs), kind.sub(rb"\1", ours)) for kind in (OF_MEMBER, CUT)):
            return True
        if ours in self.others and is_cut(theirs, ours):
            return True
        if ours in self.null and same_but_for_spaces(OF_VOID.sub(rb"\1", theirs), OF_VOID.sub(rb"\1", ours)):
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
            if one and other and (x == y or documented(x, y) or self.is_other(x, y)):
                i, j = i + 1, j + 1
            elif one and other and (behind := behind_pointer(x, right, j)):
                i, j = i + 1, behind
            elif other and self.is_more(y):
                j += 1
            elif one and other and self.has_more(x, y):
                i, j = i + 1, j + 1
            elif one and other and self.wrong_size(x, y):
                wrong.add(holder(right, j))
                i, j = i + 1, j + 1
            elif one and other and right[j] in self.null and NOTHING.fullmatch(x):
                i, j = i + 1, j + 1
            elif one and other and NOT_FOUND.fullmatch(x) and right[j] in self.null and ADDRESSES.search(y):
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
            elif one and other and self.has_other_size(head_of(right, j)) and SIZE.sub(rb"\1", x) == SIZE.sub(rb"\1", y):
                i, j = i + 1, j + 1
            else:
                return f"C has `{show(x)}`, ours `{show(y)}`"
        self.affected |= wrong - {b""}
        if owing := owing - wrong:
            self.owing.append((owing, set(MEMBER.findall(ours)), right[0]))
        return ""

    def is_more(self, ours):
        """Whether codiff sees that a function has changed which to C has not: in a reference to an rvalue, as its two prototypes say where they are
        shown."""
        found = CHANGED.fullmatch(ours)
        is_it = bool(found) and (found[1] is None or ours in self.others and same_but_for_spaces(found[1], found[2]))
        self.more += is_it
        return is_it

    def has_more(self, theirs, ours):
        """Whether codiff's count of functions differs by such functions."""
        counts = [CHANGES.fullmatch(line) for line in (theirs, ours)]
        return all(counts) and counts[0][2] == counts[1][2] and 0 < int(counts[1][1]) - int(counts[0][1]) <= self.more

    def has_other_size(self, function):
        """Whether a function's head is not as C has it, or has a pointer to member in it, spelled out or by name."""
        return function in self.others or b"::*" in function or not self.names.isdisjoint(re.findall(rb"\w+", function))

    def unpaid(self):
        """A chunk that differs for the sake of a type that does not."""
        owing = [(heads - self.affected, types, where) for heads, types, where in self.owing if heads - self.affected]
        while paid := [heads for heads, types, _ in owing if types & self.affected]:
            owing = [item for item in owing if not item[1] & self.affected]
            self.affected.update(*paid)
        return f"`{show(owing[0][2])}` has other holes or paddings, and no member of a type that differs" if owing else ""


def is_cut_somewhere(theirs, ours):
    """Whether C's words are all in ours, and a line with references to rvalues or pointers to members is so long that types are cut in it:
    there is no telling where one ends then."""
    alone = ALONE.fullmatch(theirs)
    if alone and len(ours.strip()) > 120 and ours.endswith(alone[1]):
        return True
    if len(theirs) < 100 or len(ours) < 140 or not (re.search(rb"&&|::\*", ours) or EMPTY.search(theirs)):
        return False
    left, right = (collections.Counter(re.findall(rb"\w+", line)) for line in (theirs, ours))
    return all(any(word.startswith(start) for word in right) for start in left - right)


def is_cut(theirs, ours):
    """Whether C's line has a type's name as far as its room goes, in front of the same name and place, and ours has the whole."""
    halves = [line.partition(b";") for line in (theirs, ours)]
    (kind, _, name), (whole, _, same) = (half[0].rpartition(b" ") for half in halves)
    return name == same and len(kind.strip()) > 100 and whole.startswith(kind) and SIZES.sub(b"", halves[0][2]) == SIZES.sub(b"", halves[1][2])


def show(line):
    return line.decode(errors="replace")[:120]


KINDS_OF_TAGS = re.compile(rb"(?:\w+\n)+")


def difference_in_kinds(theirs, ours):
    """The same for lists of kinds of tags, where the type of nullptr is a base type more than C has."""
    left = iter(theirs)
    expected = next(left, None)
    for kind in ours:
        if kind == expected:
            expected = next(left, None)
        elif kind != b"base_type":
            return f"C has `{show(expected or b'nothing')}`, ours `{show(kind)}`"
    return "" if expected is None else f"ours lacks `{show(expected)}`"


def difference_in_cxx(theirs, ours):
    """The first undocumented difference as text, or nothing."""
    if theirs == ours:
        return ""
    if KINDS_OF_TAGS.fullmatch(theirs):
        return difference_in_kinds(theirs.split(), ours.split())
    comparison = Comparison(ours)
    a, b = (CHUNK.split(data) for data in (theirs, comparison.in_c_words(ours)))
    for x, y in zip(a, b):
        if x != y and (found := comparison.chunk(x, y)):
            return f"in `{show(x.split(bytes([10]))[0])}`: {found}"
    if len(a) != len(b):
        return f"C has {len(a)} chunks, ours {len(b)}, the same as far as both go"
    return comparison.unpaid()
