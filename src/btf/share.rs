//! Own strings that a base has, too, become the base's.
//!
//! A module has a few thousand strings and its kernel a hundred thousand. To look up each own one as it comes, all of the base's would have to
//! be put into a table first. So own strings are collected by themselves, and in the end the base's are gone through once: what few bytes of each
//! tell is asked of a small filter, and nearly all are none of the own ones.

use super::Btf;
use super::keys::{KeyFilter, starts_and_keys};
use super::record::{INFO, for_each_name, name_slots};
use super::strings::{StringSet, measure};

/// Not found in a base.
const OWN: u32 = u32::MAX;

impl Btf {
    /// Makes ahead what own strings of a BTF on this base will be looked for by. Another thread may do so at the same time, from the other end.
    pub fn prepare_strings(&self, from_the_end: bool) {
        self.parts().iter().for_each(|btf| btf.strs.keys().make(btf.strs.bytes(), from_the_end));
    }

    /// Has names that a base has refer to the base's strings: the first of equal ones, the lowest base first. The other strings move together and
    /// stay in their order, so that in the end all is as if each string had been looked for in the base when it was added. Of own strings that are
    /// equal only the first is looked for. Returns the names of own types that are the bases' then.
    pub(super) fn share_strings(&mut self) -> Vec<u32> {
        self.unshared = false;
        if self.strs.bytes().is_empty() {
            return self.names_in_base();
        }
        let (starts, keys) = starts_and_keys(self.strs.bytes());
        let filter = KeyFilter::of(&keys);
        let numbers = Numbers::of(self.strs.bytes(), starts);
        let sought = Sought::of(&self.strs, &numbers, keys);
        let mut in_base = vec![OWN; numbers.starts.len()];
        for base in self.base.iter().flat_map(|base| base.parts()) {
            let section = base.strs.bytes();
            base.strs.keys().for_each_passing(section, &filter, |key, start| {
                let text = section.get(start as usize..).unwrap_or(&[]);
                let place = sought.find(key, text).and_then(|own| in_base.get_mut(own));
                if let Some(place) = place.filter(|place| **place == OWN) {
                    *place = base.start_str + start;
                }
            });
        }
        if self.move_names(&numbers, &in_base) {
            return self.names_in_base();
        }
        in_base.retain(|&place| place != OWN);
        in_base
    }

    /// `in_base` says of each own string where a base has it. Returns whether there were names of the bases already.
    fn move_names(&mut self, numbers: &Numbers, in_base: &[u32]) -> bool {
        let mut bytes = std::mem::take(&mut self.strs).into_bytes();
        let mut end = 0;
        let ends = numbers.starts.iter().skip(1).copied().chain([bytes.len() as u32]);
        let moves: Vec<u32> = in_base
            .iter()
            .zip(numbers.starts.iter().zip(ends))
            .map(|(&place, (&start, next))| {
                let new = if place == OWN {
                    bytes.copy_within(start as usize..next as usize, end);
                    end += (next - start) as usize;
                    self.start_str + end as u32 - (next - start)
                } else {
                    place
                };
                new.wrapping_sub(self.start_str + start)
            })
            .collect();
        bytes.truncate(end);
        self.strs = StringSet::from_section(bytes);
        let mut were_in_base = false;
        let words = self.words.to_mut();
        let ends = self.starts.iter().skip(1).copied().chain([words.len() as u32]);
        for (&start, end) in self.starts.iter().zip(ends) {
            let Some(record) = words.get_mut(start as usize..end as usize) else { continue };
            for_each_name(record, |name| match name.checked_sub(self.start_str) {
                Some(own) => *name = name.wrapping_add(moves.get(numbers.of_string_at(own)).copied().unwrap_or(0)),
                None => were_in_base |= *name != 0,
            });
        }
        were_in_base
    }

    /// The names of own types that are strings of the bases.
    pub(super) fn names_in_base(&self) -> Vec<u32> {
        if self.base.is_none() {
            return Vec::new();
        }
        let names = self.own_types().flat_map(|(_, ty)| name_slots(ty.words()[INFO]).map(move |slot| ty.words()[slot]));
        names.filter(|&name| name < self.start_str).collect()
    }
}

/// Where the strings of a section start, and which of them an offset is in.
struct Numbers {
    starts: Vec<u32>,
    /// For each eight bytes of the section, how many strings begin before, and which of the eight begin strings. Few, as they are counted for each name
    /// of all records.
    blocks: Vec<(u32, u8)>,
}

impl Numbers {
    fn of(section: &[u8], starts: Vec<u32>) -> Numbers {
        let mut blocks = vec![(0, 0); section.len().div_ceil(8)];
        for &start in &starts {
            blocks[start as usize / 8].1 |= 1 << (start % 8);
        }
        let mut before = 0;
        for (first, begins) in &mut blocks {
            *first = before;
            before += u8::count_ones(*begins);
        }
        Numbers { starts, blocks }
    }

    /// A string, with the NUL at its end.
    #[inline]
    fn string<'a>(&self, section: &'a [u8], number: usize) -> &'a [u8] {
        let start = self.starts[number] as usize;
        let end = self.starts.get(number + 1).map_or(section.len(), |&next| next as usize);
        &section[start..end]
    }

    /// The number of the string that the byte at `offset` is of; of none when it is beyond the section.
    #[inline]
    fn of_string_at(&self, offset: u32) -> usize {
        let Some(&(before, begins)) = self.blocks.get(offset as usize / 8) else { return usize::MAX };
        // The first string begins with the section.
        (before + (begins << (7 - offset % 8)).count_ones()) as usize - 1
    }
}

/// Own strings by their keys.
struct Sought<'a> {
    strs: &'a StringSet,
    numbers: &'a Numbers,
    keys: Vec<u32>,
    /// The number of a string and one; 0 for none. Open addressing.
    table: Vec<u32>,
    shift: u32,
}

impl<'a> Sought<'a> {
    /// How many places a string may be at. Where more have the same key, the others are looked up by what they are.
    const PLACES: usize = 16;

    fn of(strs: &'a StringSet, numbers: &'a Numbers, keys: Vec<u32>) -> Sought<'a> {
        let size = (2 * keys.len()).next_power_of_two().max(2);
        let mut sought = Sought { strs, numbers, keys, table: vec![0; size], shift: 32 - size.trailing_zeros() };
        for number in 0..sought.keys.len() {
            if let Some(place) = sought.places(sought.keys[number]).find(|&place| sought.table[place] == 0) {
                sought.table[place] = number as u32 + 1;
            }
        }
        sought
    }

    #[inline]
    fn places(&self, key: u32) -> impl Iterator<Item = usize> + use<> {
        let (first, mask) = ((key >> self.shift) as usize, self.table.len() - 1);
        (first..first + Self::PLACES).map(move |place| place & mask)
    }

    /// The number of the first own string that is the one at the start of `text`, with this key.
    #[inline]
    fn find(&self, key: u32, text: &[u8]) -> Option<usize> {
        for place in self.places(key) {
            let number = self.table[place].checked_sub(1)? as usize;
            if self.keys[number] == key && text.starts_with(self.numbers.string(self.strs.bytes(), number)) {
                return Some(number);
            }
        }
        let (len, hash) = measure(text)?;
        Some(self.numbers.of_string_at(self.strs.find(&text[..len], hash)?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BtfError, DedupOptions, Endian, TypeId};
    use super::*;
    use std::sync::Arc;

    fn dedup(mut btf: Btf) -> Btf {
        btf.dedup(&DedupOptions::default()).expect("sound types");
        btf
    }

    /// One struct for each name, with a member of the name that follows.
    fn add_structs(btf: &mut Btf, names: &[&[u8]]) -> Result<(), BtfError> {
        for (index, name) in names.iter().enumerate() {
            btf.add_struct(name, index as u32 + 1)?;
            btf.add_field(names[(index + 1) % names.len()], TypeId::VOID, 0, 0)?;
        }
        Ok(())
    }

    /// A base of these names, in bytes: `extra` stands before its strings' end as it is.
    fn base_of(names: &[&[u8]], extra: &[u8], base: Option<Arc<Btf>>, endian: Endian) -> Arc<Btf> {
        let mut btf = base.clone().map_or_else(|| Btf::new(endian), |base| Btf::new_split(base, endian));
        add_structs(&mut btf, names).expect("room");
        let mut strings = btf.strs.bytes().to_vec();
        strings.extend_from_slice(extra);
        btf.strs = StringSet::from_section(strings);
        Arc::new(Btf::parse(&btf.to_bytes(), base).expect("what was written"))
    }

    /// The same types on a base, its strings reused as they are added and in the end.
    fn both_ways(base: &Arc<Btf>, names: &[&[u8]]) -> Btf {
        let mut at_once = Btf::new_split(base.clone(), base.endian());
        let mut in_the_end = Btf::new_split_behind(base.end(), base.endian());
        for btf in [&mut at_once, &mut in_the_end] {
            assert!(btf.is_split());
            add_structs(btf, names).expect("room");
        }
        assert!(in_the_end.clone().dedup(&DedupOptions::default()).is_err(), "without its base");
        in_the_end.set_base(base.clone()).expect("the right one");
        let (at_once, in_the_end) = (dedup(at_once), dedup(in_the_end));
        assert_eq!(at_once.to_bytes(), in_the_end.to_bytes());
        in_the_end
    }

    #[test]
    fn as_if_each_had_been_looked_for_when_it_was_added() {
        let long = [b'x'; 300];
        let sets: [&[&[u8]]; 6] = [
            &[b"a", b"ab", b"b", b"prefix_name", b"name"],
            &[b"name", b"long_suffix_name", b"suffix_name", b"x_name", b""],
            &[&long, &long[1..], &long[..8], &long[..7], &long[..9]],
            &[b"12345678", b"12345679", b"02345678", b"2345678", b"1234567812345678"],
            &[b"only", b"here"],
            &[b""],
        ];
        for endian in [Endian::Little, Endian::Big] {
            for lower in sets {
                for extra in [&b""[..], b"name\0name\0\0here\0", b"12345678\0"] {
                    let base = base_of(lower, extra, None, endian);
                    for upper in sets {
                        both_ways(&base, upper);
                        both_ways(&base_of(upper, extra, Some(base.clone()), endian), sets[0]);
                    }
                }
            }
        }
    }

    #[test]
    fn many_strings() {
        let number = |n: u32| n.wrapping_mul(0x9e37_79b1);
        many((0..20_000).map(|n| format!("name_{:x}", number(n))).collect());
        // All of one key, of which most are in none of the places for it.
        many((0..2000).map(|n| format!("{:08x}_of_the_same_end", number(n))).collect());
    }

    fn many(names: Vec<String>) {
        let all: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
        let third: Vec<&[u8]> = all.iter().copied().step_by(3).collect();
        let base = base_of(&third, b"", None, Endian::HOST);
        let btf = both_ways(&base, &all);
        assert_eq!(
            btf.string_bytes(),
            all.iter().map(|name| name.len() + 1).sum::<usize>() - third.iter().map(|n| n.len() + 1).sum::<usize>()
        );
    }

    #[test]
    fn of_equal_strings_the_first_of_the_lowest_base() {
        let lower = base_of(&[b"first", b"second"], b"twice\0twice\0", None, Endian::HOST);
        let upper = base_of(&[b"third"], b"second\0twice\0", Some(lower.clone()), Endian::HOST);
        let btf = both_ways(&upper, &[b"twice", b"second", b"third", b"own"]);
        let mut names = btf.own_types().map(|(_, ty)| ty.name());
        assert_eq!(names.next(), lower.find_str(b"twice"));
        assert_eq!(names.next(), lower.find_str(b"second"));
        assert_eq!(names.next(), upper.find_str(b"third"));
        assert_eq!(names.next().map(|name| name.0), Some(upper.string_end()));
    }

    #[test]
    fn what_is_read_is_shared_with_the_base() {
        let base = base_of(&[b"one", b"two"], b"", None, Endian::HOST);
        // Equal strings, one that nothing refers to, and a name in the middle of another.
        let mut split = Btf::new_split(base.clone(), Endian::HOST);
        split.strs = StringSet::from_section(b"unused\0two\0xone\0two\0own\0\0own\0".to_vec());
        let start = base.string_end();
        for (size, name) in [(7u32, 7), (8, 12), (9, 16), (10, 20), (11, 24), (12, 25)] {
            split
                .push_record(&[start + name, super::super::info_word(super::super::Kind::Struct, 0, false), size])
                .expect("room");
        }
        let read = dedup(Btf::parse(&split.to_bytes(), Some(base.clone())).expect("what was written"));
        let names: Vec<&[u8]> = read.own_types().map(|(id, _)| read.name(id)).collect();
        assert_eq!(names, [&b"two"[..], b"one", b"two", b"own", b"", b"own"]);
        assert_eq!(read.strs.bytes(), b"own\0");
    }

    #[test]
    fn types_whose_names_are_the_base_s_already_find_it_too() {
        let base = base_of(&[b"one", b"two"], b"", None, Endian::HOST);
        // As `one` and `two` of the base; the member of each has the other's name.
        let (one, two) = (base.find_str(b"one").expect("added").0, base.find_str(b"two").expect("added").0);
        for is_late in [false, true] {
            for own_strings in [false, true] {
                let mut split = match is_late {
                    true => Btf::new_split_behind(base.end(), Endian::HOST),
                    false => Btf::new_split(base.clone(), Endian::HOST),
                };
                let own = own_strings.then(|| split.add_str(b"two").expect("room").0);
                if is_late {
                    split.set_base(base.clone()).expect("the right one");
                }
                let info = super::super::info_word(super::super::Kind::Struct, 1, false);
                split.push_record(&[one, info, 1, two, 0, 0]).expect("room");
                split.push_record(&[own.unwrap_or(two), info, 2, one, 0, 0]).expect("room");
                let parsed = Btf::parse(&split.to_bytes(), Some(base.clone())).expect("sound");
                for btf in [split, parsed] {
                    let btf = dedup(btf);
                    assert_eq!((btf.type_count(), btf.string_bytes()), (btf.start_id(), 0));
                }
            }
        }
    }
}
