//! Structs, unions and typedefs, compared as graphs.
//!
//! A type and a canonical candidate of the same shape are walked side by side, depth first. On the way a hypothesis is kept of
//! which type of the candidate's graph corresponds to which of the new type's: a pair met again is taken as equal (that is how
//! cycles end), and a type of the candidate's graph that would have to correspond to two different types is a contradiction,
//! unless those two are identical by content, since compilers do emit a type twice in one unit.
//!
//! A successful comparison also teaches which forward declarations stand for which structs, and which structs met on the way are
//! duplicates; both go into the map. Forward declarations on the candidate's side are followed to what they are known to stand for,
//! those on the new type's side are not.

use super::compare::{
    compatible_enum, hash_composite, hash_typedef, same_array, same_composite, same_head, same_int, same_name_info, same_proto,
};
use super::{BtfError, Dedup, Kind, MAX_ID, Types, UNMAPPED};
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, kflag_of, vlen_of};
use rustc_hash::FxHashMap;

/// How deep two types are compared by content. Beyond, they count as different: this is part of the result.
const IDENTITY_DEPTH: u32 = 16;

/// Comparisons of one pair by content after which results are remembered. Real types stay far below; without the memory,
/// 16 levels of a struct that holds itself many times over would never end.
const PATIENCE: u32 = 10_000;

/// The phase's working memory.
#[derive(Default)]
pub(super) struct Equivalence {
    /// The types of the candidate's graph that have a hypothesis, in the order of the walk.
    assumed: Vec<u32>,
    /// The candidate is a base type with a forward declaration that would have to change: not equal, since the base is fixed.
    would_change_base: bool,
    /// Pairs (new, canonical) still to compare.
    pending: Vec<(u32, u32)>,
    identity: Identity,
}

impl Equivalence {
    pub(super) fn run(&mut self, dedup: &mut Dedup) -> Result<(), BtfError> {
        for id in dedup.types.own_ids() {
            if !dedup.types.is_mapped(id) {
                self.named_type(dedup, id)?;
            }
        }
        Ok(())
    }

    fn named_type(&mut self, dedup: &mut Dedup, id: u32) -> Result<(), BtfError> {
        let record = dedup.types.record(id);
        let (hash, is_typedef) = match Kind::of_info(record[INFO]) {
            Some(Kind::Struct | Kind::Union) => (hash_composite(record), false),
            Some(Kind::Typedef) => (hash_typedef(record), true),
            _ => return Ok(()),
        };
        let mut cursor = dedup.table.candidates(hash);
        while let Some(candidate) = dedup.table.next(&mut cursor) {
            let (record, other) = (dedup.types.record(id), dedup.types.record(candidate));
            // The base's typedefs are no candidates: see `Dedup::enter_base`.
            if !(if is_typedef { same_name_info(record, other) } else { same_composite(record, other) }) {
                continue;
            }
            self.forget(dedup);
            if self.is_equivalent(&mut dedup.types, id, candidate)? {
                self.merge(&mut dedup.types);
                if !self.would_change_base {
                    dedup.types.set_map(id, candidate);
                    return Ok(());
                }
            }
        }
        dedup.types.set_map(id, id);
        dedup.table.add(hash, id);
        Ok(())
    }

    fn forget(&mut self, dedup: &mut Dedup) {
        for id in self.assumed.drain(..) {
            dedup.types.nodes[id as usize].hypothesis = UNMAPPED;
        }
        self.would_change_base = false;
        self.pending.clear();
    }

    /// Notes a pair unless it is known to be equal. The map does not change during a comparison, so this can be told early.
    #[inline]
    fn push(&mut self, types: &Types, new: u32, canon: u32) {
        if new != canon && types.resolve(new) != types.resolve(canon) {
            self.pending.push((new, canon));
        }
    }

    /// Whether the graphs of `new` and `canon` are equal. Parts of a record are pushed last first, to be walked first first:
    /// the hypothesis depends on that order.
    fn is_equivalent(&mut self, types: &mut Types, new: u32, canon: u32) -> Result<bool, BtfError> {
        self.push(types, new, canon);
        while let Some((new, canon)) = self.pending.pop() {
            let canon = resolve_fwd(types, canon);
            let assumed = types.nodes[canon as usize].hypothesis;
            if assumed <= MAX_ID {
                if assumed == new || self.identity.identical(types, assumed, new) {
                    continue;
                }
                return Ok(false);
            }
            types.nodes[canon as usize].hypothesis = new;
            self.assumed.push(canon);
            if !self.compare_pair(types, new, canon)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares one pair of records and pushes what they refer to.
    fn compare_pair(&mut self, types: &Types, new: u32, canon: u32) -> Result<bool, BtfError> {
        let (a, b) = (types.record(new), types.record(canon));
        if a[NAME] != b[NAME] {
            return Ok(false);
        }
        let (kind, canon_kind) = (types.kind(new), types.kind(canon));
        if kind != canon_kind {
            if kind == Some(Kind::Fwd) {
                return Ok(fwd_kind(a) == canon_kind);
            }
            if canon_kind == Some(Kind::Fwd) && fwd_kind(b) == kind {
                self.would_change_base |= canon < types.start_id;
                return Ok(true);
            }
            return Ok(false);
        }
        let equal = match kind {
            Some(Kind::Int) => same_int(a, b),
            Some(Kind::Enum | Kind::Enum64) => compatible_enum(a, b),
            Some(Kind::Fwd | Kind::Float) => same_head(a, b),
            Some(Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Ptr | Kind::Typedef | Kind::Func | Kind::TypeTag) => {
                if a[INFO] != b[INFO] {
                    return Ok(false);
                }
                self.push(types, a[SIZE_OR_TYPE], b[SIZE_OR_TYPE]);
                true
            }
            Some(Kind::Array) => {
                if !same_array(a, b) {
                    return Ok(false);
                }
                self.push(types, a[HEAD], b[HEAD]);
                self.push(types, a[HEAD + 1], b[HEAD + 1]);
                true
            }
            Some(Kind::Struct | Kind::Union) => {
                if !same_composite(a, b) {
                    return Ok(false);
                }
                for at in (0..vlen_of(a[INFO])).rev().map(|i| HEAD + i * 3 + 1) {
                    self.push(types, a[at], b[at]);
                }
                true
            }
            Some(Kind::FuncProto) => {
                if !same_proto(a, b) {
                    return Ok(false);
                }
                for at in (0..vlen_of(a[INFO])).rev().map(|i| HEAD + i * 2 + 1) {
                    self.push(types, a[at], b[at]);
                }
                self.push(types, a[SIZE_OR_TYPE], b[SIZE_OR_TYPE]);
                true
            }
            None | Some(Kind::Var | Kind::Datasec | Kind::DeclTag) => {
                return Err(BtfError::Record { id: new, what: "a variable, section or tag is no part of another type" });
            }
        };
        Ok(equal)
    }

    /// Turns the hypothesis of a successful comparison into mappings.
    fn merge(&mut self, types: &mut Types) {
        for &id in &self.assumed {
            let new = types.resolve(types.nodes[id as usize].hypothesis);
            let canon = types.resolve(id);
            let (new_kind, canon_kind) = (types.kind(new), types.kind(canon));
            let (new_is_fwd, canon_is_fwd) = (new_kind == Some(Kind::Fwd), canon_kind == Some(Kind::Fwd));
            // A base's forward declaration may get resolved to an own struct here: own forward declarations are compared with it
            // later and have to lead to the struct.
            if canon_is_fwd && !new_is_fwd {
                types.set_map(canon, new);
            }
            if self.would_change_base {
                continue;
            }
            if new_is_fwd && !canon_is_fwd {
                types.set_map(new, canon);
            }
            // A struct may only be mapped to one whose own fate is settled.
            let new_is_composite = new_kind.is_some_and(Kind::is_composite);
            if new_is_composite && !canon_is_fwd && types.is_mapped(canon) && !types.is_mapped(new) {
                types.set_map(new, canon);
            }
        }
    }
}

/// The kind that a forward declaration declares.
fn fwd_kind(record: &[u32]) -> Option<Kind> {
    Some(if kflag_of(record[INFO]) { Kind::Union } else { Kind::Struct })
}

/// What a forward declaration stands for, if that is known; otherwise `id` itself.
#[inline]
fn resolve_fwd(types: &Types, id: u32) -> u32 {
    if types.kind(id) != Some(Kind::Fwd) {
        return id;
    }
    let resolved = types.resolve(id);
    if types.kind(resolved) == Some(Kind::Fwd) { id } else { resolved }
}

/// Comparison by content alone, to a fixed depth.
#[derive(Default)]
struct Identity {
    /// Comparisons since the outermost pair.
    steps: u32,
    /// For a pair: the depth from which it is known to be identical, and the depth up to which it is known not to be.
    known: FxHashMap<(u32, u32), (u32, u32)>,
}

impl Identity {
    fn identical(&mut self, types: &Types, a: u32, b: u32) -> bool {
        self.steps = 0;
        self.at_depth(types, a, b, IDENTITY_DEPTH)
    }

    fn at_depth(&mut self, types: &Types, mut id_a: u32, mut id_b: u32, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        // References are followed without counting. Two parallel loops of them would never end: once the pair of a power-of-two
        // step comes again, nothing new can follow and nothing was different.
        let (mut mark, mut steps, mut next_mark) = ((id_a, id_b), 0u32, 1u32);
        loop {
            let (a, b) = (types.record(id_a), types.record(id_b));
            let kind = Kind::of_info(a[INFO]);
            if kind != Kind::of_info(b[INFO]) {
                return false;
            }
            match kind {
                None => return true,
                Some(Kind::Int) => return same_int(a, b),
                Some(Kind::Enum | Kind::Enum64) => return compatible_enum(a, b),
                Some(Kind::Fwd | Kind::Float) => return same_head(a, b),
                // libbpf compares the element types of the first array with themselves, so they do not count.
                Some(Kind::Array) => return same_array(a, b),
                Some(Kind::Struct | Kind::Union) => return same_composite(a, b) && self.parts(types, id_a, id_b, depth),
                Some(Kind::FuncProto) => return same_proto(a, b) && self.parts(types, id_a, id_b, depth),
                Some(Kind::Var | Kind::Datasec | Kind::DeclTag) => return false,
                Some(_) => {
                    if !same_name_info(a, b) {
                        return false;
                    }
                    (id_a, id_b) = (a[SIZE_OR_TYPE], b[SIZE_OR_TYPE]);
                    if (id_a, id_b) == mark {
                        return true;
                    }
                    steps += 1;
                    if steps == next_mark {
                        mark = (id_a, id_b);
                        next_mark = next_mark.saturating_mul(2);
                    }
                }
            }
        }
    }

    /// Compares what two structs, unions or prototypes of the same shape refer to.
    fn parts(&mut self, types: &Types, id_a: u32, id_b: u32, depth: u32) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.steps > PATIENCE {
            let &(same_from, differ_to) = self.known.get(&(id_a, id_b)).unwrap_or(&(u32::MAX, 0));
            if depth >= same_from {
                return true;
            }
            if depth <= differ_to {
                return false;
            }
        }
        let (a, b) = (types.record(id_a), types.record(id_b));
        let (stride, result) = if Kind::of_info(a[INFO]) == Some(Kind::FuncProto) { (2, Some(SIZE_OR_TYPE)) } else { (3, None) };
        let elements = (0..vlen_of(a[INFO])).map(|i| HEAD + i * stride + 1);
        let same = result.into_iter().chain(elements).all(|at| a[at] == b[at] || self.at_depth(types, a[at], b[at], depth - 1));
        if self.steps > PATIENCE {
            let known = self.known.entry((id_a, id_b)).or_insert((u32::MAX, 0));
            if same {
                known.0 = known.0.min(depth);
            } else {
                known.1 = known.1.max(depth);
            }
        }
        same
    }
}
