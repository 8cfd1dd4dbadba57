//! Which of the types that pointers to members of other units lead to are those of functions. A worker that meets such a pointer needs the answer
//! at once, as the types that it becomes depend on it.

use super::{Files, Scanned, starts, unit_at, wanted};
use crate::dwarf::DwarfError;
use crate::dwarf::abbrev::{Abbrevs, Attrs};
use crate::dwarf::pointee::Pointee;
use crate::dwarf::source::{Outer, read_unit};
use rustc_hash::FxHashMap;

/// Those places, out of `pointees`, in order. They are few, or none: their units are read once more.
pub(super) fn functions(files: &Files, found: &[Scanned], pointees: Vec<u64>) -> Vec<u64> {
    if pointees.is_empty() {
        return Vec::new();
    }
    let behind = files.main.info_size();
    let starts = starts(found, behind);
    // What each place is: names may lead on to further units.
    let mut known: FxHashMap<u64, Pointee> = FxHashMap::default();
    let mut left = pointees.clone();
    while !left.is_empty() {
        let mut next = Vec::new();
        for places in left.chunk_by(|&a, &b| unit_at(&starts, a) == unit_at(&starts, b)) {
            let scanned = unit_at(&starts, places[0]).and_then(|unit| found.get(unit as usize));
            // What is wrong with a unit is told when it is taken in.
            let seen = scanned.and_then(|scanned| look(files, scanned, places).ok());
            for (i, &place) in places.iter().enumerate() {
                let pointee = seen.as_ref().map_or(Pointee::Data, |seen| seen[i]);
                known.insert(place, pointee);
                next.extend(match pointee {
                    Pointee::Outer(further) => Some(further),
                    _ => None,
                });
            }
        }
        next.sort_unstable();
        next.dedup();
        next.retain(|place| !known.contains_key(place));
        left = next;
    }
    // From the last ones back: `false` stands there while a place is on the way, so that circles end.
    let mut functions: FxHashMap<u64, bool> = FxHashMap::default();
    let mut path = Vec::new();
    for &first in &pointees {
        let mut place = first;
        let is_function = loop {
            if let Some(&known) = functions.get(&place) {
                break known;
            }
            functions.insert(place, false);
            path.push(place);
            match known.get(&place) {
                Some(&Pointee::Outer(further)) => place = further,
                pointee => break pointee == Some(&Pointee::Function),
            }
        };
        functions.extend(path.drain(..).map(|place| (place, is_function)));
    }
    pointees.into_iter().filter(|place| functions.get(place) == Some(&true)).collect()
}

/// What the entries at some places of a unit are.
fn look(files: &Files, scanned: &Scanned, places: &[u64]) -> Result<Vec<Pointee>, DwarfError> {
    let (header, in_alternate) = (scanned.unit.header, scanned.unit.in_alternate);
    let (mut buf, mut table, mut attrs) = (Vec::new(), Vec::new(), Attrs::default());
    let unit = read_unit(files.file(in_alternate), header, &mut buf, &mut table, Abbrevs::default(), wanted)?;
    let units = std::slice::from_ref(&unit);
    let source = files.source(in_alternate, &buf, units, header.offset, Outer::default());
    let look = |&place: &u64| match source.pointee_at(source.key_of(place).unwrap_or(0), &mut attrs) {
        Ok(pointee) => pointee,
        Err(unit) => source.pointee(unit, &mut attrs),
    };
    Ok(places.iter().map(look).collect())
}
