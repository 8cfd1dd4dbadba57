//! Addresses for the sections of a relocatable file.
//!
//! A relocatable file (`.o`, `.ko`) has no addresses: `sh_addr` is zero everywhere. What reads its DWARF still has to tell a
//! function of one section from one of another, so elfutils' libdwfl lays the allocated sections out as if it loaded the file, and
//! relocates with those addresses. BTF output depends on them (variables are matched to symbols by address), so the same layout is
//! made here: from a fixed base, in section order, each at its alignment. Two details of libdwfl's are kept because they show:
//! the base moves up when a later section needs a larger alignment than the base has, and a file whose sections do have addresses
//! keeps them, while relocations are shifted to the base.

use super::file::Section;
use object::elf;

/// Where libdwfl puts the first file it is given: `OFFLINE_REDZONE` in its `libdwflP.h`.
const FIRST_ADDRESS: u64 = 0x10000;

fn round_up(value: u64, align: u64) -> u64 {
    value.wrapping_add(align - 1) & align.wrapping_neg()
}

/// Alignments that are no power of two have no meaning in ELF; libdwfl's arithmetic gives nonsense for them, here they count as 1.
fn alignment(section: &Section) -> u64 {
    if section.align.is_power_of_two() { section.align } else { 1 }
}

/// Sets `addr` of all allocated sections that have none, and returns what has to be added to every `addr` in relocations (zero
/// unless the file came with addresses).
pub fn assign_addresses(sections: &mut [Section]) -> u64 {
    let allocated: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].flags & elf::SHF_ALLOC.0 != 0).collect();
    let mut base = FIRST_ADDRESS;
    let (mut start, mut end) = (base, base);
    let mut lowest_given = 0;

    for (position, &i) in allocated.iter().enumerate() {
        let section = &sections[i];
        let (addr, size, align) = (section.addr, section.size, alignment(section));
        let next = round_up(end, align);
        if addr == 0 || (lowest_given == 0 && end > start && end != next) {
            sections[i].addr = next;
            if end == base {
                base = next;
                start = next;
                end = next.wrapping_add(size);
            } else if base & (align - 1) != 0 {
                base = round_up(base, align);
                start = base;
                end = base;
                for &earlier in &allocated[..=position] {
                    let section = &mut sections[earlier];
                    section.addr = round_up(end, alignment(section));
                    end = section.addr.wrapping_add(section.size);
                }
            } else {
                end = next.wrapping_add(size);
            }
        } else {
            let section_end = addr.wrapping_add(size);
            if position == 0 || end < section_end {
                end = section_end;
            }
            if position == 0 || lowest_given > addr {
                lowest_given = addr;
            }
            if addr.wrapping_sub(lowest_given).wrapping_add(base) & (align - 1) != 0 {
                base = round_up(base, align).wrapping_add(lowest_given & (align - 1));
            }
        }
    }
    if lowest_given == 0 { 0 } else { base.wrapping_sub(lowest_given) }
}
