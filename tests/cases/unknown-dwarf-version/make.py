from dwarf import *

for version in (1, 6):
    emit(f"only{version}.s", [unit(base("int", "int"), version=version)])
    emit(f"after{version}.s", [unit(base("int", "int"), struct("s", "ok", 4, member("m", "int", 0))),
                               unit(base("j", "int"), version=version)])
