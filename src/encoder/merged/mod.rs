//! Files whose units refer to each other (link-time optimisation, dwz, type units): many fragments that become the BTF of one unit.
//!
//! Every entry that is referred to from another unit is known before by its *place* ([`crate::dwarf::source`]); the sorted list of these places
//! is shared by all workers, and a reference is the position of its place in that list. A worker makes a [`Part`] of each unit:
//! a fragment in which such references are ids above its own, what entries of the list became in it, and its functions, not yet
//! weighed. The ordered stage ([`Assembly`]) adds the types of part after part. A reference to a type that is not there yet is
//! entered as a number with the top bit set and replaced in the end. Then functions are linked across units and weighed, with the
//! types' records from the BTF itself, as [`super::convention`] does it for those of one unit.
//!
//! Of the types, only those of parts on their way are in memory beside the BTF; functions and variables wait for the end, as they do
//! in other files.
//!
//! dwz has units imported by others. The C library takes a unit in once for itself and once more where it is first imported, and the
//! later copy is what references lead to. The bytes depend on it, so it is done here as well: see [`Copy`].

mod circles;
mod finish;

use super::ambiguous::Ambiguous;
use super::builder::{Builder, Die, Func, LateBitfield, Later, NOWHERE, words_of};
use super::convention::{OWN, Passed};
use super::elf_functions::ElfFunctions;
use super::fragment::{DeclTag, Fragment, NameRef, NameSource};
use super::merge::{Dropping, FileNames};
use super::names::Names;
use super::options::{Abi, Options};
use super::records::LongChains;
use super::{EncodeError, Encoder};
use crate::btf::TypeId;
use crate::dwarf::file::DwarfFile;
use crate::dwarf::source::outer_index;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

/// Set in ids that are not known yet; the rest is an index of [`Assembly::found`].
const PENDING: u32 = 1 << 31;
/// The array index type, until it is known.
const INDEX: u32 = u32::MAX;

/// For how many functions and parameters there is room from the start: one for so many bytes of `.debug_info`, up to a limit.
const BYTES_A_FUNCTION: u64 = 128;
const BYTES_A_PARAMETER: u64 = 64;
const MAX_ROOM: usize = 1 << 20;

/// What an entry that other units refer to became.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Nothing,
    /// Id of a type: in a part a local one.
    Type(u32),
    /// Index.
    Func(u32),
    Param(u32),
    Var(u32),
}

/// A variable that others define: its name, its type, and whether it is known outside of its unit.
#[derive(Clone, Copy, Debug)]
struct Declared {
    name: NameRef,
    type_id: u32,
    external: bool,
}

/// A word of a record that depends on a type of another unit.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    /// Index of the word among the fragment's, later in its record.
    pub word: u32,
    pub type_id: u32,
    pub what: DeferredWhat,
}

#[derive(Clone, Debug)]
pub(super) enum DeferredWhat {
    /// The name is that of the type.
    Name,
    /// The flag of an info word is the sign of the type.
    EnumSign,
    /// The place of a bit-field, by the size of the type.
    Bitfield(LateBitfield),
}

/// Which copy of a unit a part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copy {
    Only,
    /// A later one comes, which is what references, its own too, lead to. With a number of the unit.
    Early(u32),
    /// The one after an early one.
    Last(u32),
}

/// What a worker makes of one unit.
#[derive(Default)]
pub struct Part {
    fragment: Fragment,
    funcs: Vec<Func>,
    params: Vec<Passed>,
    later: Vec<(u32, Later)>,
    /// Positions in the list of places, and what the entries became.
    found: Vec<(u32, Found)>,
    declared: Vec<Declared>,
    /// See [`Scratch::declared`](super::builder::Scratch).
    defined: Vec<(u32, u32)>,
    deferred: Vec<Deferred>,
}

impl Part {
    pub fn fragment(&mut self) -> &mut Fragment {
        &mut self.fragment
    }

    /// Empties the part; its memory is kept.
    pub fn clear(&mut self) {
        self.fragment.clear();
        self.funcs.clear();
        self.params.clear();
        self.later.clear();
        self.found.clear();
        self.declared.clear();
        self.defined.clear();
        self.deferred.clear();
    }
}

/// What is left of a builder once its fragment is complete.
#[derive(Default)]
pub struct PartRest {
    funcs: Vec<Func>,
    params: Vec<Passed>,
    later: Vec<(u32, Later)>,
    found: Vec<(u32, Found)>,
    declared: Vec<Declared>,
    /// See [`Scratch::declared`](super::builder::Scratch).
    defined: Vec<(u32, u32)>,
    deferred: Vec<Deferred>,
}

impl PartRest {
    pub fn into(self, part: &mut Part) {
        part.funcs = self.funcs;
        part.params = self.params;
        part.later = self.later;
        part.found = self.found;
        part.declared = self.declared;
        part.defined = self.defined;
        part.deferred = self.deferred;
    }
}

impl Builder<'_> {
    /// Completes the fragment as part of a file. `targets` are the positions in the list of places that lie in the unit, and their keys.
    pub fn finish_part(mut self, table: &ElfFunctions, targets: impl Iterator<Item = (u32, u32)>) -> PartRest {
        self.resolve_types();
        self.out.outward = true;
        if !table.is_empty() {
            self.prepare_functions(table);
        }
        let mut wanted_funcs = vec![false; self.s.funcs.len()];
        let (mut found, mut declared) = (Vec::new(), Vec::new());
        for (target, key) in targets {
            let what = match self.s.lookup(key) {
                Some(Die::Func(f)) => {
                    wanted_funcs[f as usize] = true;
                    Found::Func(f)
                }
                Some(Die::Param(p)) => Found::Param(p),
                Some(Die::Type(_) | Die::Alias(_)) => self.type_id(key).map_or(Found::Nothing, Found::Type),
                None => match self.declared_variable(key) {
                    Some((name, type_key, external)) => {
                        declared.push(Declared { name, type_id: self.type_id(type_key).unwrap_or(0), external });
                        Found::Var(declared.len() as u32 - 1)
                    }
                    None => Found::Nothing,
                },
            };
            found.push((target, what));
        }
        let (deferred, defined) = (std::mem::take(&mut self.s.deferred), std::mem::take(&mut self.s.declared));
        let mut rest = PartRest { found, declared, defined, deferred, ..PartRest::default() };
        if !table.is_empty() {
            self.take_functions(table, &wanted_funcs, &mut rest);
        }
        rest
    }

    /// The functions that have, or may get, a symbol, those that others refer to, and their parameters.
    fn take_functions(&mut self, table: &ElfFunctions, wanted: &[bool], rest: &mut PartRest) {
        let mut all = std::mem::take(&mut self.s.params);
        let mut param_at = vec![NOWHERE; all.len()];
        let PartRest { funcs, params, later, found, .. } = rest;
        // Entries, and what should be where they refer to within the unit.
        let mut lost = Vec::new();
        let mut take = |p: u32, params: &mut Vec<Passed>, lost: &mut Vec<_>| {
            let param = &mut all[p as usize];
            let at = params.len() as u32;
            let mut passed = Passed::from(&*param);
            match outer_index(param.origin) {
                Some(target) if passed.origin_at != OWN => passed.origin_at = PENDING | target,
                None if passed.origin_at == NOWHERE => lost.push((param.key, param.origin, "parameter")),
                _ => {}
            }
            params.push(passed);
            later.extend(param.later.take().map(|l| (at, l)));
            at
        };
        let mut func_at = vec![NOWHERE; self.s.funcs.len()];
        for (i, func) in self.s.funcs.iter().enumerate() {
            if func.lacks_origin() {
                lost.push((func.key, func.origin, "function"));
            }
            let has_symbol = || match self.name_bytes(&func.name) {
                Some(name) => table.find(name).is_some(),
                None => outer_index(func.origin).is_some() || outer_index(func.specification).is_some(),
            };
            if !wanted[i] && !has_symbol() {
                continue;
            }
            func_at[i] = funcs.len() as u32;
            let first = params.len() as u32;
            for p in func.params.clone() {
                param_at[p as usize] = take(p, params, &mut lost);
            }
            funcs.push(Func { params: first..params.len() as u32, ..func.clone() });
        }
        for (_, what) in found {
            match what {
                Found::Func(f) => *f = func_at[*f as usize],
                // Parameters outside of functions' lists are wanted only when somebody refers to them.
                Found::Param(p) => {
                    let at = &mut param_at[*p as usize];
                    if *at == NOWHERE {
                        *at = take(*p, params, &mut lost);
                    }
                    *p = *at;
                }
                Found::Nothing | Found::Type(_) | Found::Var(_) => {}
            }
        }
        let relink = |at: u32, map: &[u32]| map.get(at as usize).copied().unwrap_or(NOWHERE);
        for func in funcs {
            func.origin_at = relink(func.origin_at, &func_at);
        }
        for param in params {
            if param.origin_at != OWN && param.origin_at & PENDING == 0 {
                param.origin_at = relink(param.origin_at, &param_at);
            }
        }
        self.s.params = all;
        for (key, origin, what) in lost {
            self.say_no_origin(key, origin, what);
        }
    }
}

/// The file being assembled in an encoder.
pub struct Assembly<'e> {
    encoder: &'e mut Encoder,
    functions: Arc<ElfFunctions>,
    abi: Abi,
    addr_size: u8,
    big: bool,
    options: Options,
    /// What each place's entry became, then the types of units that are taken in twice. Types may be pending, too.
    found: Vec<Found>,
    /// Where the types of a unit that is taken in twice start in `found`.
    copies: FxHashMap<u32, u32>,
    /// Types with pending ids in their records.
    open: Vec<TypeId>,
    /// Words of types to be completed: the index is that in the record.
    deferred: Vec<(TypeId, Deferred)>,
    /// The first `int`.
    int_id: Option<u32>,
    has_array: bool,
    /// See [`Fragment::odd_sizes`]; the ids are the BTF's.
    odd_sizes: Vec<(u32, u32)>,
    first: TypeId,
    declared: Vec<Declared>,
    /// Variables, by position, and the places of their declarations.
    defined: Vec<(u32, u32)>,
    /// All but types: ids are the BTF's own, or pending.
    rest: Fragment,
    funcs: Vec<Func>,
    params: Vec<Passed>,
    /// What the location of a parameter tells when its type's size is known.
    later: Vec<(u32, Later)>,
    /// Places that others refer to as what they are not.
    lost: RefCell<Vec<(u32, Lost)>>,
    long_chains: LongChains,
    drop: bool,
}

/// What there is none of where others refer to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Lost {
    Type,
    /// Types of several units lead to each other in a circle.
    End,
    Func,
    Param,
    Variable,
}

impl<'e> Assembly<'e> {
    /// `targets` is the length of the list of places, `file` the main one.
    pub fn new(
        encoder: &'e mut Encoder,
        file: &Arc<DwarfFile>,
        functions: &Arc<ElfFunctions>,
        targets: usize,
        addr_size: u8,
        verbose: bool,
    ) -> Assembly<'e> {
        encoder.start_file(file);
        let options = encoder.options.clone();
        let first = TypeId(encoder.btf.type_count());
        // Room that nothing is written to takes no memory, while what grows step by step leaves gaps in that of each thread.
        let room = |bytes| usize::try_from(file.info_size() / bytes).unwrap_or(usize::MAX).min(MAX_ROOM);
        let (mut funcs, mut params) = (Vec::new(), Vec::new());
        // Without that much address space they grow.
        let _ = funcs.try_reserve_exact(room(BYTES_A_FUNCTION));
        let _ = params.try_reserve_exact(room(BYTES_A_PARAMETER));
        Assembly {
            functions: functions.clone(),
            abi: Abi::of(file.elf().machine()),
            addr_size,
            big: file.is_big_endian(),
            found: vec![Found::Nothing; targets],
            copies: FxHashMap::default(),
            open: Vec::new(),
            deferred: Vec::new(),
            int_id: None,
            has_array: false,
            odd_sizes: Vec::new(),
            first,
            declared: Vec::new(),
            defined: Vec::new(),
            rest: Fragment::default(),
            funcs,
            params,
            later: Vec::new(),
            lost: RefCell::default(),
            long_chains: LongChains::default(),
            drop: !verbose,
            options,
            encoder,
        }
    }

    /// Adds a part; parts come in the order of the file. `ambiguous` are names of the file.
    pub fn add(&mut self, part: &Part, copy: Copy, ambiguous: &Ambiguous) -> Result<(), EncodeError> {
        let fragment = &part.fragment;
        let own = fragment.starts.len() as u32;
        let first = self.encoder.btf.type_count();
        let early = match copy {
            Copy::Early(unit) => {
                let base = self.found.len() as u32;
                self.found.resize(self.found.len() + own as usize, Found::Nothing);
                self.copies.insert(unit, base);
                Some(base)
            }
            _ => None,
        };
        let index = self.encoder.merger.index_type().map_or(INDEX, |id| id.0);
        let found = &self.found;
        let id_of = |map: &[u32], local: u32| match map.get(local as usize - 1) {
            Some(&id) => early.map_or(id, |base| PENDING | (base + local - 1)),
            None => known_or_pending(found, local - own - 1),
        };
        // A first copy is what nobody refers to in the end, and content may still be missing.
        let same = early.is_none() && part.deferred.is_empty();
        let drop = Dropping { on: self.drop, same, ambiguous };
        let names = self.encoder.names.as_mut().expect("set when the assembly was made");
        let merger = &mut self.encoder.merger;
        merger.add_part(&mut self.encoder.btf, fragment, names, &drop, index, id_of)?;
        let map = merger.ids();
        let id = |local: u32| if local == 0 { 0 } else { id_of(map, local) };

        self.has_array |= fragment.has_array;
        for &(local, size) in &fragment.odd_sizes {
            let id = map[local as usize - 1];
            // Of types that are equal but for this, one has been kept.
            if let Err(at) = self.odd_sizes.binary_search_by_key(&id, |&(id, _)| id) {
                self.odd_sizes.insert(at, (id, size));
            }
        }
        if self.int_id.is_none() {
            self.int_id = fragment.int_id.map(|local| map[local as usize - 1]);
        }
        for deferred in &part.deferred {
            let record = fragment.starts.partition_point(|&s| s <= deferred.word) - 1;
            let word = deferred.word - fragment.starts[record];
            let type_id = id(deferred.type_id);
            self.deferred.push((TypeId(map[record]), Deferred { word, type_id, what: deferred.what.clone() }));
        }
        let (first_func, first_param) = (self.funcs.len() as u32, self.params.len() as u32);
        let mut mover = Mover { from: fragment, to: &mut self.rest };
        let annots = mover.annots();
        for tag in &fragment.decl_tags {
            let value = mover.name(tag.value);
            mover.to.decl_tags.push(DeclTag { type_id: id(tag.type_id), value, ..*tag });
        }
        let (first_var, first_declared) = (mover.to.vars.len() as u32, self.declared.len() as u32);
        self.defined.extend(part.defined.iter().map(|&(var, target)| (first_var + var, target)));
        for var in &part.declared {
            self.declared.push(Declared { name: mover.name(var.name), type_id: id(var.type_id), ..*var });
        }
        for var in &fragment.vars {
            let mut var = var.clone();
            (var.name, var.type_id, var.annots) = (mover.name(var.name), id(var.type_id), moved(&var.annots, annots));
            mover.to.vars.push(var);
        }
        for name in &fragment.enums_with_functions {
            let name = mover.name(*name);
            mover.to.enums_with_functions.push(name);
        }
        for func in &part.funcs {
            let mut func = func.clone();
            (func.name, func.type_id, func.annots) = (mover.name(func.name), id(func.type_id), moved(&func.annots, annots));
            func.params = moved(&func.params, first_param);
            func.origin_at = link(func.origin_at, func.origin, first_func);
            self.funcs.push(func);
        }
        for param in &part.params {
            let mut param = param.clone();
            (param.name, param.type_id) = (mover.name(param.name), id(param.type_id));
            if param.origin_at & PENDING == 0 {
                param.origin_at += first_param;
            }
            if param.place.loc.has_member {
                (param.member, param.member_type) = (mover.name(param.member), id(param.member_type));
            }
            self.params.push(param);
        }
        for (param, later) in &part.later {
            let type_id = if later.type_id == NOWHERE { NOWHERE } else { id(later.type_id) };
            self.later.push((first_param + param, Later { type_id, ..later.clone() }));
        }
        // What is new is entered last: up to here, ids were looked up in what was there before.
        let exports: Vec<(u32, Found)> = part
            .found
            .iter()
            .map(|&(target, what)| match what {
                Found::Type(local) => (target, Found::Type(id(local))),
                Found::Func(f) if f != NOWHERE => (target, Found::Func(first_func + f)),
                Found::Param(p) if p != NOWHERE => (target, Found::Param(first_param + p)),
                Found::Var(v) => (target, Found::Var(first_declared + v)),
                _ => (target, Found::Nothing),
            })
            .collect();
        let own_ids: Vec<u32> = match copy {
            Copy::Last(_) => map.to_vec(),
            _ => Vec::new(),
        };
        for (target, what) in exports {
            if early.is_none() {
                self.found[target as usize] = what;
            }
        }
        if let Copy::Last(unit) = copy {
            if let Some(&base) = self.copies.get(&unit) {
                for (slot, id) in self.found[base as usize..].iter_mut().zip(own_ids) {
                    *slot = Found::Type(id);
                }
            }
        }
        for new in first..self.encoder.btf.type_count() {
            let id = TypeId(new);
            let pending = self.encoder.btf.get(id).is_some_and(|t| ids_in(t.words()).any(|at| t.words()[at] & PENDING != 0));
            if pending {
                self.open.push(id);
            }
        }
        Ok(())
    }
}

fn known_or_pending(found: &[Found], target: u32) -> u32 {
    match found.get(target as usize) {
        Some(&Found::Type(id)) => id,
        _ => PENDING | target,
    }
}

/// The index of an origin: that in the own part, moved; for one of another unit its position among the places, marked.
fn link(at: u32, key: u32, first: u32) -> u32 {
    match outer_index(key) {
        Some(target) => PENDING | target,
        None if at == NOWHERE => NOWHERE,
        None => at + first,
    }
}

fn moved(range: &Range<u32>, by: u32) -> Range<u32> {
    range.start + by..range.end + by
}

/// Where a record has ids of types.
fn ids_in(words: &[u32]) -> impl Iterator<Item = usize> + use<> {
    crate::btf::id_words(words[1])
}

/// Moves names from a part to what is kept of all.
struct Mover<'a> {
    from: &'a Fragment,
    to: &'a mut Fragment,
}

impl Mover<'_> {
    fn name(&mut self, name: NameRef) -> NameRef {
        match name.source() {
            NameSource::Local(i) => self.to.strings.push(self.from.strings.get(i)),
            _ => name,
        }
    }

    /// Moves all annotations of functions and variables; returns by how much their positions have moved.
    fn annots(&mut self) -> u32 {
        let first = self.to.annots.len() as u32;
        for i in 0..self.from.annots.len() {
            let annot = self.from.annots[i];
            let value = self.name(annot.value);
            self.to.annots.push(DeclTag { value, ..annot });
        }
        first
    }
}

/// Most bytes of entries of a file whose types are given room at once.
const SMALL: u64 = 1 << 20;

impl Encoder {
    /// Names are those of `file` from now on.
    pub(super) fn start_file(&mut self, file: &Arc<DwarfFile>) {
        if !self.names.as_ref().is_some_and(|n| n.is_for(file)) {
            self.merger.next_file(file.info_size());
            if file.info_size() <= SMALL {
                // Few are those of earlier units. What stands for a type takes some forty bytes, for a name thirty, and names half of them.
                let info = file.info_size() as usize;
                self.btf.reserve(words_of(info), info / 32);
                self.btf.reserve_strings(info / 2, info / 28);
            }
            self.names = Some(FileNames::new(file.clone()));
        }
    }

    fn name_bytes<'a>(&'a self, fragment: &'a Fragment, name: &'a NameRef) -> &'a [u8] {
        self.names.as_ref().map_or(&[], |names| names.bytes(fragment, name))
    }
}
