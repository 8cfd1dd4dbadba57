//! Whether two types written in different units are the same for a caller.

use crate::btf::{Btf, Kind, Type, TypeId};

/// How many types one comparison looks at, and how deep prototypes may lie in prototypes. Only types that refer to themselves
/// without a name on the way, which no C compiler makes, come near.
const MAX_STEPS: u32 = 100_000;
const MAX_DEPTH: u32 = 64;

/// Compares by shape down to the first name: structs and the like by name only, complete or not. A `const` on one side
/// does not matter. Types too tangled to compare do not match.
#[inline]
pub(super) fn types_match(btf: &Btf, a: TypeId, b: TypeId) -> bool {
    let mut steps = MAX_STEPS;
    a == b || matches(btf, a, b, Typedefs::Matter, MAX_DEPTH, &mut steps)
}

/// The same, with typedefs standing for what they name, as the C language has it.
pub(super) fn types_are_compatible(btf: &Btf, a: TypeId, b: TypeId) -> bool {
    let mut steps = MAX_STEPS;
    matches(btf, a, b, Typedefs::AreSeenThrough, MAX_DEPTH, &mut steps)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Typedefs {
    Matter,
    AreSeenThrough,
}

fn matches(btf: &Btf, mut a: TypeId, mut b: TypeId, typedefs: Typedefs, depth: u32, steps: &mut u32) -> bool {
    loop {
        if typedefs == Typedefs::AreSeenThrough {
            (a, b) = (behind_typedefs(btf, a), behind_typedefs(btf, b));
        }
        if a == b {
            return true;
        }
        let (Some(t), Some(u)) = (btf.get(a), btf.get(b)) else { return false };
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        let (kind, other) = (complete_kind(t), complete_kind(u));
        if kind != other {
            match (kind, other) {
                (Kind::Const, _) => a = reference(t),
                (_, Kind::Const) => b = reference(u),
                _ => return false,
            }
            continue;
        }
        match kind {
            Kind::Int => return t.size() == u.size() && t.int_data() == u.int_data() && same_name(btf, t, u),
            Kind::Float => return t.size() == u.size() && same_name(btf, t, u),
            Kind::Typedef | Kind::Struct | Kind::Union | Kind::Enum | Kind::Enum64 => return same_name(btf, t, u),
            Kind::Ptr | Kind::Volatile | Kind::Const | Kind::Restrict | Kind::TypeTag => {
                a = reference(t);
                b = reference(u);
            }
            Kind::Array => match (t.array(), u.array()) {
                (Some(t), Some(u)) if t.count == u.count => {
                    a = t.elem;
                    b = u.elem;
                }
                _ => return false,
            },
            Kind::FuncProto => {
                let Some(depth) = depth.checked_sub(1) else { return false };
                return t.vlen() == u.vlen()
                    && matches(btf, reference(t), reference(u), typedefs, depth, steps)
                    && t.params().zip(u.params()).all(|(p, q)| matches(btf, p.type_id, q.type_id, typedefs, depth, steps));
            }
            _ => return false,
        }
    }
}

fn reference(t: Type<'_>) -> TypeId {
    t.type_id().unwrap_or(TypeId::VOID)
}

/// Typedefs that lead in a circle end at one of them.
fn behind_typedefs(btf: &Btf, mut id: TypeId) -> TypeId {
    for _ in 0..MAX_STEPS {
        match btf.get(id) {
            Some(t) if t.kind() == Kind::Typedef => id = reference(t),
            _ => break,
        }
    }
    id
}

/// A forward declaration counts as what it declares.
fn complete_kind(t: Type<'_>) -> Kind {
    match t.kind() {
        Kind::Fwd if t.kflag() => Kind::Union,
        Kind::Fwd => Kind::Struct,
        kind => kind,
    }
}

/// Strings are stored once, but those of a base that was read from a file only if its writer did so.
fn same_name(btf: &Btf, t: Type<'_>, u: Type<'_>) -> bool {
    t.name() == u.name() || btf.base().is_some() && btf.str_at(t.name()) == btf.str_at(u.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btf::{BtfError, Endian, FwdKind, INT_SIGNED};

    #[test]
    fn by_shape_and_name() -> Result<(), BtfError> {
        let mut btf = Btf::new(Endian::HOST);
        let int = btf.add_int(b"int", 4, INT_SIGNED)?;
        let int2 = btf.add_int(b"int", 4, INT_SIGNED)?;
        let unsigned = btf.add_int(b"int", 4, 0)?;
        let long = btf.add_int(b"long", 4, INT_SIGNED)?;
        let m = |btf: &Btf, a, b| {
            assert_eq!(types_match(btf, a, b), types_match(btf, b, a));
            types_match(btf, a, b)
        };
        assert!(m(&btf, int, int2) && !m(&btf, int, unsigned) && !m(&btf, int, long) && !m(&btf, int, TypeId::VOID));
        let constant = btf.add_const(int)?;
        let (p, pc) = (btf.add_ptr(int2)?, btf.add_ptr(constant)?);
        assert!(m(&btf, p, pc) && m(&btf, constant, int2) && !m(&btf, p, int));
        let fwd = btf.add_fwd(b"s", FwdKind::Struct)?;
        let s = btf.add_struct(b"s", 8)?;
        let other = btf.add_struct(b"t", 8)?;
        let union = btf.add_fwd(b"s", FwdKind::Union)?;
        assert!(m(&btf, fwd, s) && !m(&btf, s, other) && !m(&btf, fwd, union));
        let (a, b, c) = (btf.add_array(int, s, 3)?, btf.add_array(int, fwd, 3)?, btf.add_array(int, s, 4)?);
        assert!(m(&btf, a, b) && !m(&btf, a, c));
        let constant_void = btf.add_const(TypeId::VOID)?;
        assert!(!m(&btf, constant_void, TypeId::VOID));
        let f = btf.add_func_proto(int)?;
        btf.add_func_param(b"x", p)?;
        let g = btf.add_func_proto(int2)?;
        btf.add_func_param(b"y", pc)?;
        let h = btf.add_func_proto(int)?;
        btf.add_func_param(b"x", p)?;
        btf.add_func_param(b"", TypeId::VOID)?;
        assert!(m(&btf, f, g) && !m(&btf, f, h));
        Ok(())
    }

    #[test]
    fn typedefs_count_or_not() -> Result<(), BtfError> {
        let mut btf = Btf::new(Endian::HOST);
        let int = btf.add_int(b"int", 4, INT_SIGNED)?;
        let long = btf.add_int(b"long", 8, INT_SIGNED)?;
        let inner = btf.add_typedef(b"__t", int)?;
        let outer = btf.add_typedef(b"t", inner)?;
        let (p, q, r) = (btf.add_ptr(int)?, btf.add_ptr(outer)?, btf.add_ptr(long)?);
        assert!(!types_match(&btf, int, outer) && !types_match(&btf, p, q));
        assert!(types_are_compatible(&btf, int, outer) && types_are_compatible(&btf, p, q));
        assert!(!types_are_compatible(&btf, q, r) && !types_are_compatible(&btf, outer, long));
        assert!(!types_are_compatible(&btf, outer, TypeId::VOID) && types_are_compatible(&btf, TypeId::VOID, TypeId::VOID));
        let circle = btf.add_typedef(b"c", TypeId(btf.type_count()))?;
        assert!(types_are_compatible(&btf, circle, circle) && !types_are_compatible(&btf, circle, int));
        Ok(())
    }

    #[test]
    fn endless_types_end() -> Result<(), BtfError> {
        let mut btf = Btf::new(Endian::HOST);
        // Each points to itself, or takes itself as both parameters.
        btf.add_ptr(TypeId(1))?;
        btf.add_ptr(TypeId(2))?;
        for id in [3, 4] {
            btf.add_func_proto(TypeId(id))?;
            btf.add_func_param(b"", TypeId(id))?;
        }
        assert!(!types_match(&btf, TypeId(1), TypeId(2)));
        assert!(!types_match(&btf, TypeId(3), TypeId(4)));
        Ok(())
    }
}
