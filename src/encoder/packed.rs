//! Whether a struct is packed, told from its members' places.

use super::records::Records;
use crate::btf::Kind;

/// Alignments are looked for in nested types down to this depth, and in this many members of one struct and all below it.
const MAX_DEPTH: u32 = 64;
const MAX_MEMBERS: u32 = 1 << 16;

/// A member in bytes and bits.
struct Member {
    type_id: u32,
    bit_offset: u32,
    /// 0 unless a bit-field.
    bit_size: u32,
}

fn members(b: &impl Records, id: u32) -> Vec<Member> {
    let Some(words) = b.words(id) else { return Vec::new() };
    let vlen = (words[1] & 0xffff) as usize;
    let kflag = words[1] >> 31 != 0;
    words[3..]
        .chunks_exact(3)
        .take(vlen)
        .map(|m| Member {
            type_id: m[1],
            bit_offset: if kflag { m[2] & 0x00ff_ffff } else { m[2] },
            bit_size: if kflag { m[2] >> 24 } else { 0 },
        })
        .collect()
}

/// Without holes or padding, yet with a member, or a size, that does not fit the members' alignment.
pub(super) fn is_packed(b: &impl Records, id: u32) -> bool {
    let Some(size) = b.words(id).map(|words| u64::from(words[2])) else { return false };
    let members = members(b, id);
    if has_holes_or_padding(b, &members, size) {
        return false;
    }
    let mut max = 1;
    let mut budget = MAX_MEMBERS;
    for m in &members {
        let align = alignment(b, b.strip(m.type_id), 0, &mut budget);
        max = max.max(align);
        if align != 1 && storage_offset(b, m) % align != 0 {
            return true;
        }
    }
    size % max != 0
}

/// Byte offset of the storage unit that holds the member.
fn storage_offset(b: &impl Records, m: &Member) -> u64 {
    let unit_bits = b.size_of(m.type_id).bytes().saturating_mul(8);
    if m.bit_size == 0 || unit_bits == 0 {
        return u64::from(m.bit_offset) / 8;
    }
    u64::from(m.bit_offset) / unit_bits * unit_bits / 8
}

fn has_holes_or_padding(b: &impl Records, members: &[Member], size: u64) -> bool {
    let mut end = 0u64;
    let mut storage_end = 0u64;
    for m in members {
        let start = u64::from(m.bit_offset);
        let bits = if m.bit_size != 0 { u64::from(m.bit_size) } else { b.size_of(m.type_id).bytes().saturating_mul(8) };
        // Bits left over in the storage unit of bit-fields before are no hole of bytes.
        let from = if m.bit_size == 0 { end.max(storage_end.min(start)) } else { end };
        if start / 8 > from.div_ceil(8) {
            return true;
        }
        end = start.saturating_add(bits);
        storage_end = if m.bit_size != 0 {
            let unit = b.size_of(m.type_id).bytes().saturating_mul(8);
            (storage_offset(b, m) * 8).saturating_add(unit)
        } else {
            end
        };
    }
    size > end.max(storage_end.min(size * 8)).div_ceil(8)
}

/// Alignment in bytes, at least 1.
fn alignment(b: &impl Records, id: u32, depth: u32, budget: &mut u32) -> u64 {
    let Some(words) = b.words(id).filter(|_| depth <= MAX_DEPTH && *budget > 0) else { return 1 };
    *budget -= 1;
    let align = match Kind::of_info(words[1]) {
        Some(Kind::Ptr) => u64::from(b.addr_size()),
        Some(Kind::Int) => u64::from(b.base_size(id, words)),
        Some(Kind::Float | Kind::Enum | Kind::Enum64) => u64::from(words[2]),
        Some(Kind::Struct | Kind::Union) => {
            members(b, id).iter().map(|m| alignment(b, b.strip(m.type_id), depth + 1, budget)).max().unwrap_or(1)
        }
        Some(Kind::Array) => alignment(b, b.strip(words[3]), depth + 1, budget),
        _ => 1,
    };
    align.max(1)
}
