//! Location expressions, operation by operation (DWARF 5 sections 2.5 and 7.7.1, and the GNU operations before them).

use super::DwarfError;
use super::cursor::Cursor;
use gimli::constants as dw;

/// `DW_OP_GNU_uninit` and `DW_OP_GNU_variable_value`.
const GNU_UNINIT: dw::DwOp = dw::DwOp(0xf0);
const GNU_VARIABLE_VALUE: dw::DwOp = dw::DwOp(0xfd);

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub code: dw::DwOp,
    /// First operand, sign-extended where it is signed. For the block of an entry value: its offset in the expression's buffer.
    pub operand: u64,
    /// Length of that block, in bytes.
    pub block_len: u32,
}

impl Op {
    /// The register of a `DW_OP_regN`.
    pub fn register(&self) -> Option<u8> {
        (dw::DW_OP_reg0.0..=dw::DW_OP_reg31.0).contains(&self.code.0).then(|| self.code.0 - dw::DW_OP_reg0.0)
    }

    /// The register of a `DW_OP_bregN`.
    pub fn base_register(&self) -> Option<u8> {
        (dw::DW_OP_breg0.0..=dw::DW_OP_breg31.0).contains(&self.code.0).then(|| self.code.0 - dw::DW_OP_breg0.0)
    }

    /// Whether it pushes a constant (`DW_OP_litN`, `constu`, `consts`).
    pub fn is_constant(&self) -> bool {
        (dw::DW_OP_lit0.0..=dw::DW_OP_lit31.0).contains(&self.code.0) || matches!(self.code, dw::DW_OP_constu | dw::DW_OP_consts)
    }
}

/// Reads all operations of the `len` bytes at `start` of `buf` into `out` (cleared first). An unknown operation or a cut operand is an
/// error, as the whole expression cannot be trusted then. `base` is where `buf` starts in `section`.
#[allow(clippy::too_many_arguments, reason = "plain facts about where the bytes are")]
pub fn read_ops(
    buf: &[u8],
    start: usize,
    len: usize,
    big: bool,
    addr_size: u8,
    ref_size: u8,
    (section, base): (&'static str, u64),
    out: &mut Vec<Op>,
) -> Result<(), DwarfError> {
    out.clear();
    let mut c = Cursor::new(buf.get(..start.saturating_add(len)).unwrap_or(buf), big, base, section);
    c.set_pos(start);
    while !c.is_empty() {
        let code = dw::DwOp(c.u8()?);
        let mut op = Op { code, operand: 0, block_len: 0 };
        match code {
            dw::DW_OP_addr => op.operand = c.uint(addr_size)?,
            dw::DW_OP_call_ref | GNU_VARIABLE_VALUE => op.operand = c.uint(ref_size)?,
            dw::DW_OP_const1u | dw::DW_OP_pick | dw::DW_OP_deref_size | dw::DW_OP_xderef_size => {
                op.operand = u64::from(c.u8()?);
            }
            dw::DW_OP_const1s => op.operand = c.u8()? as i8 as u64,
            dw::DW_OP_const2u => op.operand = u64::from(c.u16()?),
            dw::DW_OP_const2s | dw::DW_OP_skip | dw::DW_OP_bra | dw::DW_OP_call2 => op.operand = c.u16()? as i16 as u64,
            dw::DW_OP_const4u => op.operand = u64::from(c.u32()?),
            dw::DW_OP_const4s | dw::DW_OP_call4 | dw::DW_OP_GNU_parameter_ref => op.operand = c.u32()? as i32 as u64,
            dw::DW_OP_const8u | dw::DW_OP_const8s => op.operand = c.u64()?,
            dw::DW_OP_constu
            | dw::DW_OP_plus_uconst
            | dw::DW_OP_regx
            | dw::DW_OP_piece
            | dw::DW_OP_convert
            | dw::DW_OP_GNU_convert
            | dw::DW_OP_reinterpret
            | dw::DW_OP_GNU_reinterpret
            | dw::DW_OP_addrx
            | dw::DW_OP_GNU_addr_index
            | dw::DW_OP_constx
            | dw::DW_OP_GNU_const_index => op.operand = c.uleb()?,
            dw::DW_OP_consts | dw::DW_OP_fbreg => op.operand = c.sleb()? as u64,
            dw::DW_OP_bregx => {
                op.operand = c.uleb()?;
                c.sleb()?;
            }
            dw::DW_OP_bit_piece | dw::DW_OP_regval_type | dw::DW_OP_GNU_regval_type => {
                op.operand = c.uleb()?;
                c.uleb()?;
            }
            dw::DW_OP_implicit_value | dw::DW_OP_entry_value | dw::DW_OP_GNU_entry_value => {
                let len = c.uleb()?;
                op.operand = c.pos() as u64;
                op.block_len = len.min(u64::from(u32::MAX)) as u32;
                c.skip(len)?;
            }
            dw::DW_OP_implicit_pointer | dw::DW_OP_GNU_implicit_pointer => {
                op.operand = c.uint(ref_size)?;
                c.sleb()?;
            }
            dw::DW_OP_deref_type | dw::DW_OP_GNU_deref_type | dw::DW_OP_xderef_type => {
                op.operand = u64::from(c.u8()?);
                c.uleb()?;
            }
            dw::DW_OP_const_type | dw::DW_OP_GNU_const_type => {
                op.operand = c.uleb()?;
                let len = c.u8()?;
                c.skip(u64::from(len))?;
            }
            _ if op.base_register().is_some() => op.operand = c.sleb()? as u64,
            _ if has_no_operand(code) => {}
            _ => return Err(c.invalid("a known location operation", u64::from(code.0))),
        }
        out.push(op);
    }
    Ok(())
}

fn has_no_operand(code: dw::DwOp) -> bool {
    let c = code.0;
    (dw::DW_OP_lit0.0..=dw::DW_OP_lit31.0).contains(&c)
        || (dw::DW_OP_reg0.0..=dw::DW_OP_reg31.0).contains(&c)
        || matches!(
            code,
            dw::DW_OP_deref
                | dw::DW_OP_dup
                | dw::DW_OP_drop
                | dw::DW_OP_over
                | dw::DW_OP_swap
                | dw::DW_OP_rot
                | dw::DW_OP_xderef
                | dw::DW_OP_abs
                | dw::DW_OP_and
                | dw::DW_OP_div
                | dw::DW_OP_minus
                | dw::DW_OP_mod
                | dw::DW_OP_mul
                | dw::DW_OP_neg
                | dw::DW_OP_not
                | dw::DW_OP_or
                | dw::DW_OP_plus
                | dw::DW_OP_shl
                | dw::DW_OP_shr
                | dw::DW_OP_shra
                | dw::DW_OP_xor
                | dw::DW_OP_eq
                | dw::DW_OP_ge
                | dw::DW_OP_gt
                | dw::DW_OP_le
                | dw::DW_OP_lt
                | dw::DW_OP_ne
                | dw::DW_OP_nop
                | dw::DW_OP_push_object_address
                | dw::DW_OP_call_frame_cfa
                | dw::DW_OP_form_tls_address
                | dw::DW_OP_GNU_push_tls_address
                | dw::DW_OP_stack_value
                | GNU_UNINIT
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ops(bytes: &[u8]) -> Result<Vec<Op>, DwarfError> {
        let mut out = Vec::new();
        read_ops(bytes, 0, bytes.len(), false, 8, 4, (".debug_info", 0), &mut out)?;
        Ok(out)
    }

    #[test]
    fn registers_pieces_and_entry_values() {
        let o = ops(&[0x55, 0x93, 8, 0x54, 0x93, 8]).expect("valid");
        assert_eq!(o.len(), 4);
        assert_eq!((o[0].register(), o[1].operand, o[2].register()), (Some(5), 8, Some(4)));
        let o = ops(&[0xa3, 1, 0x55, 0x9f]).expect("valid");
        assert_eq!((o.len(), o[0].operand, o[0].block_len), (2, 2, 1));
        assert_eq!(ops(&[0x75, 0x70]).expect("valid")[0].base_register(), Some(5));
    }

    #[test]
    fn cut_and_unknown_operations() {
        assert!(ops(&[0x03, 1, 2, 3]).is_err());
        assert!(ops(&[0xa3, 9, 0x55]).is_err());
        assert!(ops(&[0xe7]).is_err());
    }
}
