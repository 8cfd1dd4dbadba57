from dwarf import *

ADDRESS = [3, "one"]


def variable(text, location):
    return die("variable", [name(text), of("int"), ("location", "exprloc", location)])


def storage(text, section=""):
    return f"{section}.type {text}, @object\n.size {text}, 4\n{text}: .long 1\n"


emit("a.s", [unit(base("int", "int"), variable("one", ADDRESS), variable("two", [*ADDRESS, 0x23, 4]),
                  variable("three", [*ADDRESS, 0x23, 8]), variable("discarded", [3] + [0] * 8),
                  struct("none", "none", 0), die("variable", [name("empty"), of("none"), ("location", "exprloc", [3, "empty"])]))],
     tail='.section .data..percpu, "aw", @progbits\n.type empty, @object\n.size empty, 0\nempty:\n' + storage("one") + storage("two") + storage("three")
     + storage("discarded", '.section .discard, "aw", @progbits\n'))
