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
    Mix, compatible_enum, hash_composite, hash_typedef, same_array, same_composite, same_head, same_int, same_name_info,
    same_proto,
};
use super::{BtfError, Dedup, Kind, MAX_ID, Types, UNMAPPED};
use crate::btf::record::{HEAD, INFO, NAME, SIZE_OR_TYPE, kflag_of, vlen_of};
use rustc_hash::FxHashMap;

/// How deep two types are compared by content. Beyond, they count as different: this is part of the result.
const IDENTITY_DEPTH: u32 = 16;

/// Comparisons of one pair by content after which results are remembered. Real types stay far below; without the memory,
/// 16 levels of a struct that holds itself many times over would never end.
const PATIENCE: u32 = 10_000;

/// Pairs of records that are compared, for each type, before the search for duplicates becomes a short one. A kernel takes three; thousands
/// of nameless structs, each holding the next, would take the square of their number.
const EFFORT_A_TYPE: u64 = 64;
/// And what may be compared with few types, too.
const LEAST_EFFORT: u64 = 1 << 25;

/// How many candidates, and of how many records, a short search looks at.
const SHORT: usize = 64;

/// The phase's working memory.
#[derive(Default)]
pub(super) struct Equivalence {
    /// The types of the candidate's graph that have a hypothesis, in the order of the walk.
    assumed: Vec<u32>,
    /// Those of them that are structs, unions or forward declarations, which a comparison maps.
    to_merge: Vec<u32>,
    /// The candidate is a base type with a forward declaration that would have to change: not equal, since the base is fixed.
    would_change_base: bool,
    /// Pairs (new, canonical) still to compare.
    pending: Vec<(u32, u32)>,
    identity: Identity,
    /// Pairs of records compared so far.
    effort: u64,
    /// From which of them on the search is a short one.
    enough: u64,
    /// The first type whose search ended early.
    gave_up: Option<u32>,
}

impl Equivalence {
    /// Returns the first type that not all candidates were looked at for, after too much effort.
    pub(super) fn run(&mut self, dedup: &mut Dedup) -> Result<Option<u32>, BtfError> {
        self.enough = (EFFORT_A_TYPE * u64::from(dedup.types.type_count())).max(LEAST_EFFORT);
        for id in dedup.types.own_ids() {
            let kind = Kind::of_info(dedup.types.nodes.info(id));
            if dedup.types.map(id) == UNMAPPED && matches!(kind, Some(Kind::Struct | Kind::Union | Kind::Typedef)) {
                self.named_type(dedup, id)?;
            }
        }
        Ok(self.gave_up)
    }

    fn named_type(&mut self, dedup: &mut Dedup, id: u32) -> Result<(), BtfError> {
        let record = dedup.types.record(id);
        let is_typedef = dedup.types.kind(id) == Some(Kind::Typedef);
        let hash = if is_typedef { hash_typedef(record) } else { hash_composite(record, ends_of(&dedup.types, record)) };
        let mut cursor = dedup.table.candidates(hash);
        let mut compared = 0;
        while let Some(candidate) = dedup.table.next(&mut cursor) {
            let (record, other) = (dedup.types.record(id), dedup.types.candidate(candidate));
            // The base's typedefs are no candidates: see `Dedup::enter_base`.
            if !(if is_typedef { same_name_info(record, other) } else { same_composite(record, other) }) {
                continue;
            }
            self.forget(dedup);
            if self.effort >= self.enough {
                compared += 1;
                if compared > SHORT {
                    self.gave_up.get_or_insert(id);
                    break;
                }
            }
            if self.is_equivalent(&mut dedup.types, id, candidate.id)? {
                self.merge(&mut dedup.types);
                if !self.would_change_base {
                    dedup.types.set_map(id, candidate.id);
                    return Ok(());
                }
            }
        }
        dedup.types.set_map(id, id);
        dedup.add(hash, id);
        if !is_typedef {
            dedup.composites.push(id);
        }
        Ok(())
    }

    fn forget(&mut self, dedup: &mut Dedup) {
        self.effort += 1 + self.assumed.len() as u64;
        for id in self.assumed.drain(..) {
            dedup.types.nodes.set_hypothesis(id, UNMAPPED);
        }
        self.to_merge.clear();
        self.would_change_base = false;
        self.pending.clear();
    }

    /// Whether the graphs of `new` and `canon` are equal.
    fn is_equivalent(&mut self, types: &mut Types, new: u32, canon: u32) -> Result<bool, BtfError> {
        if is_settled(types, new, canon) {
            return Ok(true);
        }
        let limit = if self.effort < self.enough { usize::MAX } else { SHORT };
        let first = new;
        let mut pair = Some((new, canon));
        while let Some((new, canon)) = pair.or_else(|| self.pending.pop()) {
            pair = match self.compare_pair(types, new, canon)? {
                Comparison::Differs => return Ok(false),
                Comparison::Same => None,
                Comparison::Depends(new, canon) => (!is_settled(types, new, canon)).then_some((new, canon)),
            };
            if self.assumed.len() > limit {
                self.gave_up.get_or_insert(first);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Compares one pair of records that nothing is known of, and notes what they refer to. Parts of a record are noted last first,
    /// to be walked first first: the hypothesis depends on that order.
    #[inline(always)]
    fn compare_pair(&mut self, types: &mut Types, new: u32, canon: u32) -> Result<Comparison, BtfError> {
        let canon = resolve_fwd(types, canon);
        let start_id = types.start_id;
        let assumed = types.nodes.hypothesis(canon);
        if assumed <= MAX_ID {
            return Ok(Comparison::of(assumed == new || self.identity.identical(types, assumed, new)));
        }
        types.nodes.set_hypothesis(canon, new);
        self.assumed.push(canon);
        let (a, b) = if new >= start_id && canon >= start_id {
            (types.own_record(new), types.own_record(canon))
        } else {
            (types.record(new), types.record(canon))
        };
        let (info, canon_info) = (a[INFO], b[INFO]);
        if a[NAME] != b[NAME] {
            return Ok(Comparison::Differs);
        }
        let (kind, canon_kind) = (Kind::of_info(info), Kind::of_info(canon_info));
        if kind != canon_kind {
            self.to_merge.push(canon);
            if kind == Some(Kind::Fwd) {
                return Ok(Comparison::of(fwd_kind(a) == canon_kind));
            }
            let same = canon_kind == Some(Kind::Fwd) && fwd_kind(b) == kind;
            self.would_change_base |= same && canon < start_id;
            return Ok(Comparison::of(same));
        }
        Ok(match kind {
            Some(Kind::Int) => Comparison::of(same_int(a, b)),
            Some(Kind::Enum | Kind::Enum64) => Comparison::of(compatible_enum(a, b)),
            Some(Kind::Float) => Comparison::of(same_head(a, b)),
            Some(Kind::Fwd) => {
                self.to_merge.push(canon);
                Comparison::of(same_head(a, b))
            }
            Some(Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Ptr | Kind::Typedef | Kind::Func | Kind::TypeTag) => {
                if info != canon_info {
                    return Ok(Comparison::Differs);
                }
                Comparison::Depends(a[SIZE_OR_TYPE], b[SIZE_OR_TYPE])
            }
            Some(Kind::Array) => {
                if !same_array(a, b) {
                    return Ok(Comparison::Differs);
                }
                note(&mut self.pending, types, a[HEAD], b[HEAD]);
                Comparison::Depends(a[HEAD + 1], b[HEAD + 1])
            }
            Some(Kind::Struct | Kind::Union) => {
                self.to_merge.push(canon);
                if !same_head(a, b) {
                    return Ok(Comparison::Differs);
                }
                let words = vlen_of(info) * 3;
                let (a, b) = (&a[HEAD..HEAD + words], &b[HEAD..HEAD + words]);
                let first = self.pending.len();
                for (a, b) in a.chunks_exact(3).zip(b.chunks_exact(3)) {
                    if a[0] != b[0] || a[2] != b[2] {
                        return Ok(Comparison::Differs);
                    }
                    note(&mut self.pending, types, a[1], b[1]);
                }
                self.pending[first..].reverse();
                Comparison::Same
            }
            Some(Kind::FuncProto) => {
                if info != canon_info {
                    return Ok(Comparison::Differs);
                }
                let result = (a[SIZE_OR_TYPE], b[SIZE_OR_TYPE]);
                let words = vlen_of(info) * 2;
                let (a, b) = (&a[HEAD..HEAD + words], &b[HEAD..HEAD + words]);
                let first = self.pending.len();
                for (a, b) in a.chunks_exact(2).zip(b.chunks_exact(2)) {
                    if a[0] != b[0] {
                        return Ok(Comparison::Differs);
                    }
                    note(&mut self.pending, types, a[1], b[1]);
                }
                self.pending[first..].reverse();
                Comparison::Depends(result.0, result.1)
            }
            None | Some(Kind::Var | Kind::Datasec | Kind::DeclTag) => {
                return Err(BtfError::Record { id: new, what: "a variable, section or tag is no part of another type" });
            }
        })
    }

    /// Turns the hypothesis of a successful comparison into mappings.
    fn merge(&mut self, types: &mut Types) {
        for &id in &self.to_merge {
            let new = types.resolve(types.nodes.hypothesis(id));
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

/// What came of comparing two records.
enum Comparison {
    Differs,
    /// Equal if what was noted is.
    Same,
    /// Equal if what was noted is, and this pair, which comes first.
    Depends(u32, u32),
}

impl Comparison {
    #[inline]
    fn of(same: bool) -> Comparison {
        if same { Comparison::Same } else { Comparison::Differs }
    }
}

/// Whether a pair is known to be equal: by the map, or because it has been met. Neither changes back during a comparison, so this
/// can be asked early.
#[inline(always)]
fn is_settled(types: &Types, new: u32, canon: u32) -> bool {
    if new == canon {
        return true;
    }
    if types.nodes.hypothesis(canon) == new {
        return true;
    }
    let (new_map, canon_map) = (types.map(new), types.map(canon));
    match (new_map <= MAX_ID, canon_map <= MAX_ID) {
        (false, false) => false,
        (true, true) if new_map == canon_map => true,
        _ => types.resolve(new) == types.resolve(canon),
    }
}

#[inline(always)]
fn note(pending: &mut Vec<(u32, u32)>, types: &Types, new: u32, canon: u32) {
    if !is_settled(types, new, canon) {
        pending.push((new, canon));
    }
}

/// What the types of a struct's first and last members are, as far as comparisons go straight on: qualifiers, pointers and shapes of
/// nameless structs up to the first name, array or the like. A struct with another value is no equal one. There are unions with
/// the same members by the hundreds, made by macros around whatever they are given.
pub(super) fn ends_of(types: &Types, record: &[u32]) -> u32 {
    match vlen_of(record[INFO]) {
        0 => 0,
        1 => chain_from(types, record[HEAD + 1]),
        n => chain_from(types, record[HEAD + 1]) ^ chain_from(types, record[HEAD + 3 * n - 2]).rotate_left(16),
    }
}

fn chain_from(types: &Types, mut id: u32) -> u32 {
    /// Longer chains are cut off.
    const MAX_CHAIN: u32 = 8;
    let mut mix = Mix::default();
    for _ in 0..MAX_CHAIN {
        let record = types.record(id);
        mix = mix.with(record[NAME]);
        match Kind::of_info(record[INFO]) {
            Some(kind @ (Kind::Ptr | Kind::Const | Kind::Volatile | Kind::Restrict)) => {
                mix = mix.with(kind as u32);
                id = record[SIZE_OR_TYPE];
            }
            Some(Kind::Struct | Kind::Union) if record[NAME] == 0 && !types.has_nameless_fwd => {
                mix = mix.composite(record);
                if vlen_of(record[INFO]) == 0 {
                    break;
                }
                id = record[HEAD + 1];
            }
            // What comparisons may take for each other counts as one.
            kind => {
                let class = match kind {
                    Some(Kind::Fwd | Kind::Union) => Some(Kind::Struct),
                    Some(Kind::Enum64) => Some(Kind::Enum),
                    kind => kind,
                };
                mix = mix.with(class.map_or(0, |class| class as u32));
                break;
            }
        }
    }
    mix.finish()
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
