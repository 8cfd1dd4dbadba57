from dwarf import *

for version in (0, 1, 6, 0xFFFF):
    emit(f"only{version}.s", [unit(base("int", "int"), version=version)])
    emit(f"after{version}.s", [unit(base("int", "int"), struct("s", "ok", 4, member("m", "int", 0))),
                               unit(base("j", "int"), version=version)])
    emit(f"before{version}.s", [unit(base("j", "int"), version=version),
                                unit(base("int", "int"), struct("s", "ok", 4, member("m", "int", 0)))])
