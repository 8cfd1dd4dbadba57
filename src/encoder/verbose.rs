//! How BTF records look when `pahole -V` tells what is encoded: one line a record, one more for each of its parts.
//!
//! The reference prints while it adds, so that some lines show a record that is not complete yet; see [`members`].

use super::report::{Report, text};
use crate::btf::{Btf, BtfError, Kind, Type, TypeId};

/// The name of a kind in these texts.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "INT",
        Kind::Ptr => "PTR",
        Kind::Array => "ARRAY",
        Kind::Struct => "STRUCT",
        Kind::Union => "UNION",
        Kind::Enum => "ENUM",
        Kind::Fwd => "FWD",
        Kind::Typedef => "TYPEDEF",
        Kind::Volatile => "VOLATILE",
        Kind::Const => "CONST",
        Kind::Restrict => "RESTRICT",
        Kind::Func => "FUNC",
        Kind::FuncProto => "FUNC_PROTO",
        Kind::Var => "VAR",
        Kind::Datasec => "DATASEC",
        Kind::Float => "FLOAT",
        Kind::DeclTag => "DECL_TAG",
        Kind::TypeTag => "TYPE_TAG",
        Kind::Enum64 => "ENUM64",
    }
}

/// Prints the records from `first` up to the last one, if the report wants to hear of them.
pub fn added(btf: &Btf, first: TypeId, report: &mut dyn Report) {
    if report.verbose() {
        for id in first.0..btf.type_count() {
            if let Some(t) = btf.get(TypeId(id)) {
                report.out(&record(btf, TypeId(id), t));
            }
        }
    }
}

/// The line that tells that adding a record failed; `details` describes it.
pub fn failed(btf: &Btf, kind: Kind, name: &[u8], details: &str, error: BtfError) -> Vec<u8> {
    let name = if name.is_empty() { b"(anon)" } else { name };
    let errno = -error.errno();
    text!("[", btf.type_count(), "] ", kind_name(kind), " ", name, " ", details, " (libbpf error ", errno, ")\n")
}

fn name_or<'a>(btf: &'a Btf, name: crate::btf::StrOff, nameless: &'static [u8]) -> &'a [u8] {
    if name.0 == 0 { nameless } else { btf.str_at(name) }
}

fn record(btf: &Btf, id: TypeId, t: Type<'_>) -> Vec<u8> {
    let name = name_or(btf, t.name(), b"(anon)");
    let mut line = text!("[", id.0, "] ", kind_name(t.kind()), " ", name, " ");
    let size = t.size().unwrap_or(0);
    let to = t.type_id().unwrap_or(TypeId::VOID).0;
    line.extend(match t.kind() {
        Kind::Int => {
            let data = t.int_data().unwrap_or(0);
            text!("size=", size, " nr_bits=", data & 0xff, " encoding=", encoding(data >> 24 & 0xf), "\n")
        }
        Kind::Float => text!("size=", size, " nr_bits=", u64::from(size) * 8, "\n"),
        Kind::Ptr | Kind::Typedef | Kind::Volatile | Kind::Const | Kind::Restrict | Kind::Func | Kind::TypeTag => {
            text!("type_id=", to, "\n")
        }
        Kind::Fwd => text!(if t.kflag() { "union\n" } else { "struct\n" }),
        Kind::Array => t.array().map_or_else(Vec::new, |array| {
            text!("type_id=", array.elem.0, " index_type_id=", array.index.0, " nr_elems=", array.count, "\n")
        }),
        Kind::Struct | Kind::Union => text!("size=", size, "\n"),
        Kind::Enum | Kind::Enum64 => text!("size=", size, "\n"),
        Kind::FuncProto => text!("return=", to, " args=("),
        Kind::Var => text!("type=", to, " linkage=", t.var_linkage().unwrap_or(0), "\n"),
        Kind::Datasec => text!("size=", size, " vlen=", t.vlen(), "\n"),
        Kind::DeclTag => text!("type_id=", to, " component_idx=", t.component_idx().unwrap_or(-1), "\n"),
    });
    match t.kind() {
        Kind::Struct | Kind::Union => members(btf, t, &mut line),
        Kind::Enum | Kind::Enum64 => enumerators(btf, t, &mut line),
        Kind::FuncProto => params(btf, t, &mut line),
        Kind::Datasec => {
            for var in t.secinfos() {
                line.extend(text!("\ttype=", var.type_id.0, " offset=", var.offset, " size=", var.size, "\n"));
            }
        }
        _ => {}
    }
    line
}

fn encoding(encoding: u32) -> &'static str {
    match encoding {
        0 => "(none)",
        1 => "SIGNED",
        2 => "CHAR",
        4 => "BOOL",
        _ => "UNKN",
    }
}

/// A struct is known to have bit fields from the first one on; members before it are printed without their field's size.
fn members(btf: &Btf, t: Type<'_>, line: &mut Vec<u8>) {
    let mut bit_fields = false;
    for member in t.members() {
        bit_fields |= t.kflag() && (member.bitfield_size != 0 || member.bit_offset % 8 != 0);
        line.extend(text!("\t", name_or(btf, member.name, b"(anon)"), " type_id=", member.type_id.0));
        if bit_fields {
            line.extend(text!(" bitfield_size=", member.bitfield_size));
        }
        line.extend(text!(" bits_offset=", member.bit_offset, "\n"));
    }
}

fn enumerators(btf: &Btf, t: Type<'_>, line: &mut Vec<u8>) {
    for enumerator in t.enumerators() {
        line.extend(text!("\t", name_or(btf, enumerator.name, b"(null)"), " val="));
        if t.kflag() {
            line.extend(text!(enumerator.value, "\n"));
        } else {
            line.extend(text!(enumerator.value as u64, "\n"));
        }
    }
}

fn params(btf: &Btf, t: Type<'_>, line: &mut Vec<u8>) {
    if t.vlen() == 0 {
        line.extend(b"void)\n");
    }
    for (param, index) in t.params().zip(1..) {
        let last = index == t.vlen();
        if last && param.type_id == TypeId::VOID {
            line.extend(b"vararg)\n");
        } else {
            let name = name_or(btf, param.name, b"(null)");
            line.extend(text!(param.type_id.0, " ", name, if last { ")\n" } else { ", " }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Collected;
    use super::*;
    use crate::btf::{Endian, FuncLinkage, FwdKind, INT_BOOL, INT_SIGNED, VarLinkage};

    #[test]
    fn one_of_each_kind() -> Result<(), BtfError> {
        let mut btf = Btf::new(Endian::HOST);
        let int = btf.add_int(b"int", 4, INT_SIGNED)?;
        btf.add_int(b"_Bool", 1, INT_BOOL)?;
        btf.add_float(b"double", 8)?;
        let ptr = btf.add_ptr(int)?;
        btf.add_array(int, ptr, 3)?;
        btf.add_struct(b"s", 12)?;
        btf.add_field(b"a", int, 0, 0)?;
        btf.add_field(b"b", int, 32, 3)?;
        btf.add_field(b"", int, 64, 0)?;
        btf.add_enum(b"e", 4)?;
        btf.add_enum_value(b"A", -1)?;
        btf.add_enum(b"f", 4)?;
        btf.add_enum_value(b"B", 0xffff_ffff)?;
        btf.add_enum64(b"", 8, false)?;
        btf.add_enum64_value(b"C", 1 << 32)?;
        btf.add_fwd(b"u", FwdKind::Union)?;
        btf.add_func_proto(int)?;
        let proto = btf.add_func_proto(int)?;
        btf.add_func_param(b"", int)?;
        btf.add_func_param(b"q", ptr)?;
        btf.add_func_param(b"", TypeId::VOID)?;
        let func = btf.add_func(b"fn", FuncLinkage::Static, proto)?;
        btf.add_decl_tag(b"tag", func, -1)?;
        let var = btf.add_var(b"v", VarLinkage::GlobalAllocated, int)?;
        btf.add_datasec(b".bss", 8)?;
        btf.add_datasec_var_info(var, 4, 4)?;
        let mut report = Collected { verbose: true, ..Collected::default() };
        added(&btf, TypeId(1), &mut report);
        let expected = "\
[1] INT int size=4 nr_bits=32 encoding=SIGNED
[2] INT _Bool size=1 nr_bits=8 encoding=BOOL
[3] FLOAT double size=8 nr_bits=64
[4] PTR (anon) type_id=1
[5] ARRAY (anon) type_id=4 index_type_id=1 nr_elems=3
[6] STRUCT s size=12
\ta type_id=1 bits_offset=0
\tb type_id=1 bitfield_size=3 bits_offset=32
\t(anon) type_id=1 bitfield_size=0 bits_offset=64
[7] ENUM e size=4
\tA val=-1
[8] ENUM f size=4
\tB val=4294967295
[9] ENUM64 (anon) size=8
\tC val=4294967296
[10] FWD u union
[11] FUNC_PROTO (anon) return=1 args=(void)
[12] FUNC_PROTO (anon) return=1 args=(1 (null), 4 q, vararg)
[13] FUNC fn type_id=12
[14] DECL_TAG tag type_id=13 component_idx=-1
[15] VAR v type=1 linkage=1
[16] DATASEC .bss size=8 vlen=1
\ttype=15 offset=4 size=4
";
        assert_eq!(String::from_utf8_lossy(&report.output), expected);
        report.verbose = false;
        report.output.clear();
        added(&btf, TypeId(1), &mut report);
        assert!(report.output.is_empty());
        let line = failed(&btf, Kind::Var, b"", "type=1 linkage=0 Error emitting BTF type", BtfError::Argument(""));
        assert_eq!(
            String::from_utf8_lossy(&line),
            "[17] VAR (anon) type=1 linkage=0 Error emitting BTF type (libbpf error -22)\n"
        );
        Ok(())
    }
}
