//! The index of a `.dwp` file: where the share of each unit starts in the sections that many split files were put together to
//! (DWARF 5, 7.3.5.3; before it, the GNU form of version 2).

use super::DwarfError;
use super::cursor::Cursor;

/// Where one unit's share of the sections starts, in bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Contribution {
    /// Of the unit itself in `.debug_info.dwo`, or (version 2, type units) in `.debug_types.dwo`.
    pub unit: u64,
    pub abbrev: u64,
    pub str_offsets: u64,
    /// In `.debug_loc.dwo` or `.debug_loclists.dwo`.
    pub loc: u64,
}

/// Columns of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Unit,
    Abbrev,
    StrOffsets,
    Loc,
    Other,
}

impl Column {
    fn of(id: u32) -> Column {
        // Both versions agree on these: in version 2, 2 is DW_SECT_TYPES, in version 5 reserved.
        match id {
            1 | 2 => Column::Unit,
            3 => Column::Abbrev,
            5 => Column::Loc,
            6 => Column::StrOffsets,
            _ => Column::Other,
        }
    }
}

/// `.debug_cu_index` or `.debug_tu_index`.
pub struct UnitIndex<'a> {
    bytes: &'a [u8],
    big: bool,
    columns: Vec<Column>,
    slots: u64,
    units: u64,
}

/// Version, number of columns, of units, of slots: 4 bytes each.
const HEADER: u64 = 16;

impl<'a> UnitIndex<'a> {
    /// `name` is that of the section.
    pub fn parse(bytes: &'a [u8], name: &'static str, big: bool) -> Result<UnitIndex<'a>, DwarfError> {
        let mut c = Cursor::new(bytes, big, 0, name);
        let version = c.u32()?;
        // Version 5 has two bytes, and two of padding.
        if !matches!((version, if big { version >> 16 } else { version }), (2, _) | (_, 5)) {
            return Err(c.invalid("index version 2 or 5", u64::from(version)));
        }
        let columns = u64::from(c.u32()?);
        let units = u64::from(c.u32()?);
        let slots = u64::from(c.u32()?);
        let size = slots.saturating_mul(12).saturating_add(columns.saturating_mul(4).saturating_mul(1 + 2 * units));
        if size > bytes.len() as u64 - HEADER || slots > 0 && !slots.is_power_of_two() {
            return Err(c.invalid("tables that fit the section", slots));
        }
        // Rows without columns say nothing, however many there are.
        let units = if columns == 0 { 0 } else { units };
        let mut index = UnitIndex { bytes, big, columns: Vec::new(), slots, units };
        for at in 0..columns {
            index.columns.push(Column::of(index.word(HEADER + slots * 12 + at * 4).unwrap_or(0)));
        }
        Ok(index)
    }

    fn word(&self, at: u64) -> Option<u32> {
        Cursor::new(self.bytes.get(usize::try_from(at).ok()?..)?, self.big, at, "").u32().ok()
    }

    /// The shares of the unit with this id or signature.
    pub fn find(&self, id: u64) -> Option<Contribution> {
        let mask = self.slots.checked_sub(1)?;
        let step = (id >> 32) & mask | 1;
        let mut slot = id & mask;
        for _ in 0..self.slots {
            let row = u64::from(self.word(HEADER + self.slots * 8 + slot * 4)?);
            if row == 0 || row > self.units {
                return None;
            }
            let bytes = self.bytes.get((HEADER + slot * 8) as usize..)?;
            if Cursor::new(bytes, self.big, 0, "").u64().ok()? == id {
                return self.row(row);
            }
            slot = (slot + step) & mask;
        }
        None
    }

    /// The shares of all units.
    pub fn all(&self) -> impl Iterator<Item = Contribution> {
        (1..=self.units).map_while(|row| self.row(row))
    }

    /// Rows count from 1; before them stands the one with the columns' ids.
    fn row(&self, row: u64) -> Option<Contribution> {
        let columns = self.columns.len() as u64;
        let start = HEADER + self.slots * 12 + row * columns * 4;
        let mut found = Contribution::default();
        for (column, at) in self.columns.iter().zip(0..) {
            let offset = u64::from(self.word(start + at * 4)?);
            match column {
                Column::Unit => found.unit = offset,
                Column::Abbrev => found.abbrev = offset,
                Column::StrOffsets => found.str_offsets = offset,
                Column::Loc => found.loc = offset,
                Column::Other => {}
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An index with one unit in a table of two slots.
    fn index(version: u32, id: u64, slot: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [version, 3, 1, 2] {
            bytes.extend(u32::to_le_bytes(word));
        }
        for at in 0..2 {
            bytes.extend(u64::to_le_bytes(if at == slot { id } else { 0 }));
        }
        for at in 0..2 {
            bytes.extend(u32::to_le_bytes(u32::from(at == slot)));
        }
        for word in [1, 3, 6, 0x10, 0x20, 0x30, 1, 2, 3] {
            bytes.extend(u32::to_le_bytes(word));
        }
        bytes
    }

    #[test]
    fn finds_a_unit_and_no_other() {
        for version in [2, 5] {
            let bytes = index(version, 0x1_0000_0001, 1);
            let index = UnitIndex::parse(&bytes, ".debug_cu_index", false).expect("valid index");
            let found = Contribution { unit: 0x10, abbrev: 0x20, str_offsets: 0x30, loc: 0 };
            assert_eq!(index.find(0x1_0000_0001), Some(found));
            assert_eq!(index.find(3), None);
        }
    }

    #[test]
    fn tables_beyond_the_section_are_refused() {
        let bytes = index(2, 1, 1);
        assert!(UnitIndex::parse(&bytes[..bytes.len() - 1], ".debug_cu_index", false).is_err());
        assert!(UnitIndex::parse(&index(3, 1, 1), ".debug_cu_index", false).is_err());
    }
}
