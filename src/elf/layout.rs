//! Addresses for the sections of a relocatable file.
//!
//! A relocatable file (`.o`, `.ko`) has no addresses. What reads its DWARF still has to tell a function of one section from one of
//! another, so elfutils' libdwfl lays the allocated sections out as if it loaded the file, and relocates with those addresses. BTF
//! output depends on them (variables are matched to symbols by address), so the same layout is made here: from a fixed base, in
//! section order, each at its alignment. Two details are kept because they show. When a later section needs a larger alignment
//! than the base has, all start again from a base that has it. And addresses the file gives nevertheless are ignored (`ld -r`
//! leaves some in kernel modules, where they mean nothing); older versions of libdwfl, 0.188 for one, mixed them in.

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

/// Sets `addr` of all allocated sections.
pub fn assign_addresses(sections: &mut [Section]) {
    let allocated: Vec<usize> = (1..sections.len()).filter(|&i| sections[i].flags & elf::SHF_ALLOC.0 != 0).collect();
    let mut base = FIRST_ADDRESS;
    let mut end = base;
    for (position, &i) in allocated.iter().enumerate() {
        let align = alignment(&sections[i]);
        let next = round_up(end, align);
        if end == base {
            base = next;
        } else if base & (align - 1) != 0 {
            base = round_up(base, align);
            end = base;
            for &earlier in &allocated[..=position] {
                end = place(&mut sections[earlier], end);
            }
            continue;
        }
        end = place(&mut sections[i], next);
    }
}

/// Puts `section` at the next aligned address from `at` on, and returns where it ends. Sizes are not trusted: what would pass the
/// end of the address space wraps around.
fn place(section: &mut Section, at: u64) -> u64 {
    section.addr = round_up(at, alignment(section));
    section.addr.wrapping_add(section.size)
}
