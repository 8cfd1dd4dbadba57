"""How two large outputs are compared: equal, but for kinds of lines that docs/differences.md describes.

Each kind takes one of our lines and says what C makes of it, so that anything else in the line must be the same.
"""

import collections
import re
import subprocess

# A pointer to an array, and an array of pointers to functions: C loses the dimensions, and puts them behind the parameters.
TO_ARRAY = re.compile(rb"\((\*+)(\w*(?:\[\d+\])*)\)(?:\[\d+\])+(?=[;,)]|$)")
ARRAY_OF = re.compile(rb"\((\*+)(\w+)((?:\[\d+\])+)\)(\(.*?\));")
# Arrays of arrays (Go), of which C has the inner count first.
OF_ARRAYS = re.compile(rb"(?:\[\d+\]){2,}")
# A parameter that is a pointer to a pointer to a function.
TO_FUNCTION = re.compile(rb"\(\*(\*+)(\w*)\)(\([^()]*\))(?=[,):])")
# A function that returns a pointer to a function, or one to that, which C writes in front as a nameless function.
RETURNS_FUNCTION = re.compile(rb"\(\*(\*?)(\w.*\(.*\))\)(\([^()]*\))(;?)$")
# A function that returns a pointer to an array, which loses its dimensions.
RETURNS_TO_ARRAY = re.compile(rb"\((\*+)(\w.*\(.*\))\)(?:\[\d+\])+(;?)$")
# A function that returns an array (Rust), of which C has the element.
RETURNS_ARRAY = re.compile(rb"\)(?:\[\d+\])+(;?)$")
# Vectors that a function takes or returns, and pointers to them, of which C has the element.
OF_VECTOR = re.compile(rb" ?__attribute__ \(\(__vector_size__ \(\d+\)\)\) ?(?:\((\*+)(\w*)\)(?=[;,)]|$))?")
# Arrays, and pointers to functions, behind qualifiers, of which C loses the elements, or has the name last.
QUALIFIED_ARRAY = re.compile(rb"^(\s*(?:\w+ )*volatile [^(;]*\w)(?:\[\d+\])+(?=;)")
QUALIFIED_FUNCTION = re.compile(rb"((?:\b(?:const|volatile|_Atomic) )+[^(),;]*)\(\*(\w*)(?:\[\d+\])*\)(\([^()]*\))(?=[,);])")
# The name behind the closing brace of a constant struct.
NAMED = re.compile(rb"^(\t*\}(?: __attribute__\(\(__packed__\)\))?)\s*\w+(?=[\[; ])")
# The size of qualified void, which C reads from memory that it has not written.
QUALIFIED_VOID = re.compile(rb"(/\* tag__fprintf: (?:const|volatile)_type tag not supported! \*/; /\* size: )\d+( \*/)")

# A qualified struct without a name; behind a pointer, C has nothing of its members.
QUALIFIED_STRUCT = re.compile(rb"(\t*)((?:(?:const|volatile|_Atomic|restrict) )+(?:struct|union|enum)) \{")
BEHIND_POINTER = re.compile(rb"\t*\}(?: __attribute__\(\(\w+\)\))* (\*.*)")

KINDS = (
    lambda line: TO_ARRAY.sub(rb"\1\2", line),
    lambda line: ARRAY_OF.sub(rb"(\1\2)\4\3;", line),
    lambda line: OF_ARRAYS.sub(lambda found: b"".join(reversed(re.findall(rb"\[\d+\]", found[0]))), line),
    lambda line: TO_FUNCTION.sub(rb"()\3 *\1 \2", line),
    lambda line: RETURNS_FUNCTION.sub(lambda found: b"()%s * %s%s%s" % (found[3], found[1], found[2], found[4]), line),
    lambda line: RETURNS_TO_ARRAY.sub(rb"\1\2\3", line),
    lambda line: RETURNS_ARRAY.sub(rb")\1", line),
    lambda line: OF_VECTOR.sub(rb"\1\2", line),
    lambda line: QUALIFIED_ARRAY.sub(rb"\1", line),
    lambda line: QUALIFIED_FUNCTION.sub(rb"\1()\3 * \2", line),
    lambda line: NAMED.sub(rb"\1", line),
)


def same_but_for_spaces(a, b):
    """Columns move with the length of a declarator."""
    return re.sub(rb"\s", b"", a) == re.sub(rb"\s", b"", b)


def documented(theirs, ours):
    """Whether a pair of lines differs as docs/differences.md says."""
    if any(same_but_for_spaces(theirs, kind(ours)) for kind in KINDS if kind(ours) != ours):
        return True
    return QUALIFIED_VOID.sub(rb"\g<1>0\2", theirs) == ours and theirs != ours


def behind_pointer(theirs, ours, start):
    """Where our lines go on behind a qualified struct without a name that a pointer leads to, if their line is about the same; else nothing."""
    opening = QUALIFIED_STRUCT.fullmatch(ours[start])
    if not opening:
        return None
    end = next((at for at in range(start + 1, len(ours)) if ours[at].startswith(opening[1] + b"}")), start)
    closing = BEHIND_POINTER.fullmatch(ours[end])
    return end + 1 if closing and same_but_for_spaces(theirs, opening[2] + closing[1]) else None


def difference(theirs, ours):
    """The first undocumented difference as text, or nothing."""
    if theirs == ours:
        return ""
    a, b = theirs.split(b"\n"), ours.split(b"\n")
    i = j = 0
    while i < len(a) and j < len(b):
        x, y = a[i], b[j]
        if x == y or documented(x, y):
            j += 1
        elif behind := behind_pointer(x, b, j):
            j = behind
        else:
            return f"line {i + 1}: C `{x.decode(errors='replace')[:120]}`, ours `{y.decode(errors='replace')[:120]}`"
        i += 1
    if i < len(a) or j < len(b):
        return f"C has {len(a)} lines, ours {len(b)}, the same as far as both go"
    return ""


# A definition at the margin, with what is indented below it.
DEFINITION = re.compile(rb"\n(?=[^\s{}])")


# What may have to come earlier than C has it: typedefs, and structs that are only declared.
EARLY = re.compile(rb"(?:typedef .*|(?:struct|union) )\b(\w+);", re.S)


def difference_in_definitions(theirs, ours):
    """The same for `--compile`, where ours has typedefs and declarations of structs before they are used: also those that C has later, and
    typedefs that it does not define at all."""
    if not (found := difference(theirs, ours)):
        return ""
    sides = []
    for text in (theirs, ours):
        parts = [part.strip() for part in DEFINITION.split(text)]
        early = {part: EARLY.fullmatch(part) for part in parts}
        rest = b"\n".join(part for part in parts if not early[part])
        sides.append(({part: name[1] for part, name in early.items() if name}, b"\n".join(filter(bytes.strip, rest.split(b"\n")))))
    (left, a), (right, b) = sides
    if not left.keys() <= right.keys() or any(not lacks(theirs, right[part]) for part in right.keys() - left.keys()):
        return found
    return difference(a, b)


def lacks(output, name):
    """Whether a typedef's name is used, and nowhere defined."""
    uses, defines = (re.compile(pattern % name, re.M) for pattern in (rb"\b%s\b", rb"^(?:\}|typedef .*\b) ?\**%s;"))
    return bool(uses.search(output)) and not defines.search(output)


# What C says of an instance of a parameter that belongs to a pack.
OF_A_PACK = re.compile(rb"ftype__recode_dwarf_types\(\d+\): couldn't find 0x\w+ abstract_origin for 0x\w+ \(formal_parameter\)!")


def difference_in_messages(theirs, ours):
    """What is said on stderr, which workers do in any order."""
    theirs, ours = (collections.Counter(text.splitlines()) for text in (theirs, ours))
    missing = [line for line in theirs - ours if not OF_A_PACK.fullmatch(line)]
    for who, lines in (("C", missing), ("ours", list(ours - theirs))):
        if lines:
            return f"stderr: only {who} says `{lines[0].decode(errors='replace')[:160]}`"
    return ""
