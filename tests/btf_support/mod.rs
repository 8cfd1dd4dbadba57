//! Runs the same operations on this library and on the reference libbpf, and compares what both gave back.

#![allow(dead_code)] // Each test file is a crate of its own and uses its own part.

pub mod generate;

use dwarves::btf::{Btf, BtfError, DedupOptions, Endian, FuncLinkage, FwdKind, TypeId, VarLinkage};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// The frontends and libraries of the reference, unpacked below `target/frontends`.
pub fn frontends() -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/frontends");
    assert!(
        dir.join("bin/pahole").exists(),
        "{} is missing: these tests compare with the reference programs and libraries, unpack them there first",
        dir.display()
    );
    dir
}

/// A kernel image with DWARF.
pub fn vmlinux() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/kernel-amd64/vmlinux");
    assert!(path.exists(), "{} is missing: this test needs a kernel image with DWARF there", path.display());
    path
}

/// A module of the same kernel; `path` is relative to its module directory.
pub fn kernel_module(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/kernel-amd64/modules").join(path);
    assert!(path.exists(), "{} is missing: this test needs a kernel module with DWARF there", path.display());
    path
}

/// Runs the reference pahole.
pub fn pahole(args: &[&std::ffi::OsStr]) {
    let status = Command::new(frontends().join("bin/pahole")).args(args).status().expect("pahole starts");
    assert!(status.success(), "pahole {args:?}: {status}");
}

fn reference_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let dir = tempfile::Builder::new().prefix("btf-reference").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
        let program = dir.join("reference");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/btf_support/reference.c");
        let status = Command::new("cc")
            .args(["-O1", "-Wall", "-Wextra", "-o"])
            .args([&program, &source])
            .arg("-ldl")
            .status()
            .expect("a C compiler named cc is needed");
        assert!(status.success(), "compiling {}: {status}", source.display());
        program
    })
}

/// What the reference says to the operations.
pub fn reference_transcript(ops: &[Op]) -> Vec<u8> {
    let script = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let text: String = ops.iter().map(|op| op.line() + "\n").collect();
    std::fs::write(script.path(), text).unwrap();
    let libs = frontends().join("root/usr/lib/x86_64-linux-gnu");
    let output = Command::new(libs.join("ld-linux-x86-64.so.2"))
        .arg("--library-path")
        .arg(&libs)
        .arg(reference_program())
        .arg(libs.join("libbpf.so.1"))
        .arg(script.path())
        .stderr(Stdio::inherit())
        .output()
        .expect("the reference's loader starts");
    assert!(output.status.success(), "reference: {}; script kept in {}", output.status, script.keep().unwrap().1.display());
    output.stdout
}

/// One operation: a name (or path) and up to three numbers.
#[derive(Clone, Debug)]
pub struct Op {
    pub what: &'static str,
    pub name: String,
    pub args: [i64; 3],
}

pub fn op(what: &'static str, name: &str, args: &[i64]) -> Op {
    let mut all = [0; 3];
    all[..args.len()].copy_from_slice(args);
    Op { what, name: name.to_owned(), args: all }
}

impl Op {
    fn line(&self) -> String {
        let name = if self.name.is_empty() { "-" } else { &self.name };
        let [a, b, c] = self.args;
        format!("{} {name} {a} {b} {c}", self.what)
    }
}

/// How our side runs a script.
#[derive(Clone, Copy, Default)]
pub struct OurWay {
    pub force_collisions: bool,
}

/// What this library says to the operations: one piece for each.
pub fn our_transcript(ops: &[Op], way: OurWay) -> Vec<Vec<u8>> {
    let mut state = State { cur: Btf::new(Endian::HOST), base: None, way };
    ops.iter()
        .map(|op| {
            let mut out = Vec::new();
            let number = match state.run(op, &mut out) {
                Ok(number) => number,
                Err(err) => -err.errno(),
            };
            out.extend_from_slice(&number.to_ne_bytes());
            out
        })
        .collect()
}

struct State {
    cur: Btf,
    base: Option<Arc<Btf>>,
    way: OurWay,
}

fn put_raw(out: &mut Vec<u8>, btf: &Btf) {
    let bytes = btf.to_bytes();
    assert_eq!(bytes.len(), btf.byte_len());
    out.extend_from_slice(&(bytes.len() as u32).to_ne_bytes());
    out.extend_from_slice(&bytes);
}

impl State {
    fn run(&mut self, op: &Op, out: &mut Vec<u8>) -> Result<i32, BtfError> {
        let [a, b, c] = op.args;
        let n = op.name.as_bytes();
        // Negative ids and sizes become large ones, which both sides refuse.
        let id = |v: i64| TypeId(v as u32);
        let btf = &mut self.cur;
        let ty = match op.what {
            "new" => {
                self.base = None;
                *btf = Btf::new(Endian::HOST);
                return Ok(0);
            }
            "split" => {
                let base = Arc::new(std::mem::replace(btf, Btf::new(Endian::HOST)));
                *btf = Btf::new_split(base.clone(), base.endian());
                self.base = Some(base);
                return Ok(0);
            }
            "load" => {
                *btf = Btf::parse(&std::fs::read(&op.name).unwrap(), None)?;
                return Ok(0);
            }
            "load_split" => {
                let base = Arc::new(std::mem::replace(btf, Btf::new(Endian::HOST)));
                self.base = Some(base.clone());
                *btf = Btf::parse(&std::fs::read(&op.name).unwrap(), Some(base))?;
                return Ok(0);
            }
            "reload" => {
                *btf = Btf::parse(&btf.to_bytes(), self.base.clone())?;
                return Ok(0);
            }
            "endian" => {
                btf.set_endian(if a == 0 { Endian::Little } else { Endian::Big });
                return Ok(0);
            }
            "raw" => {
                put_raw(out, btf);
                return Ok(0);
            }
            "dedup" => {
                let opts = DedupOptions { force_collisions: a != 0 || self.way.force_collisions, ..DedupOptions::default() };
                return btf.dedup(&opts).map(|_| 0);
            }
            "distill" => {
                let (split, base) = btf.distill_base()?;
                put_raw(out, &split);
                put_raw(out, &base);
                return Ok(0);
            }
            "relocate" => {
                let base = Arc::new(Btf::parse(&std::fs::read(&op.name).unwrap(), None)?);
                return btf.relocate(base).map(|()| 0);
            }
            "add_str" => return btf.add_str(n).map(|off| off.0 as i32),
            "int" => btf.add_int(n, a as u32, b as u32),
            "float" => btf.add_float(n, a as u32),
            "ptr" => btf.add_ptr(id(a)),
            "const" => btf.add_const(id(a)),
            "volatile" => btf.add_volatile(id(a)),
            "restrict" => btf.add_restrict(id(a)),
            "typedef" => btf.add_typedef(n, id(a)),
            "type_tag" => btf.add_type_tag(n, id(a)),
            "type_attr" => btf.add_type_attr(n, id(a)),
            "func" => btf.add_func(n, [FuncLinkage::Static, FuncLinkage::Global, FuncLinkage::Extern][a as usize], id(b)),
            "fwd" => btf.add_fwd(n, [FwdKind::Struct, FwdKind::Union, FwdKind::Enum][a as usize]),
            "array" => btf.add_array(id(a), id(b), c as u32),
            "struct" => btf.add_struct(n, a as u32),
            "union" => btf.add_union(n, a as u32),
            "field" => return btf.add_field(n, id(a), b as u32, c as u32).map(|()| 0),
            "enum" => btf.add_enum(n, a as u32),
            "enum_value" => return btf.add_enum_value(n, a).map(|()| 0),
            "enum64" => btf.add_enum64(n, a as u32, b != 0),
            "enum64_value" => return btf.add_enum64_value(n, a as u64).map(|()| 0),
            "func_proto" => btf.add_func_proto(id(a)),
            "func_param" => return btf.add_func_param(n, id(a)).map(|()| 0),
            "var" => {
                let linkage = [VarLinkage::Static, VarLinkage::GlobalAllocated, VarLinkage::GlobalExtern][a as usize];
                btf.add_var(n, linkage, id(b))
            }
            "datasec" => btf.add_datasec(n, a as u32),
            "secinfo" => return btf.add_datasec_var_info(id(a), b as u32, c as u32).map(|()| 0),
            "decl_tag" => btf.add_decl_tag(n, id(a), b as i32),
            "decl_attr" => btf.add_decl_attr(n, id(a), b as i32),
            other => panic!("unknown operation {other}"),
        };
        ty.map(|id| id.0 as i32)
    }
}

/// Runs all cases on both sides (the reference in one go) and fails with the script of the first case that differs.
pub fn assert_same(cases: &[Vec<Op>], ways: &[OurWay]) {
    let all: Vec<Op> = cases.concat();
    let expected = reference_transcript(&all);
    for &way in ways {
        let mut rest = &expected[..];
        for (index, case) in cases.iter().enumerate() {
            for (step, (op, ours)) in case.iter().zip(our_transcript(case, way)).enumerate() {
                let Some(theirs) = rest.get(..ours.len()).filter(|theirs| *theirs == ours) else {
                    report(index, step, case, op, &ours, rest);
                };
                rest = &rest[theirs.len()..];
            }
        }
        assert!(rest.is_empty(), "the reference said more");
    }
}

fn report(index: usize, step: usize, case: &[Op], op: &Op, ours: &[u8], theirs: &[u8]) -> ! {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let script: String = case.iter().map(|op| op.line() + "\n").collect();
    let path = dir.join("btf-difference.script");
    std::fs::write(&path, script).unwrap();
    std::fs::write(dir.join("btf-difference.ours"), ours).unwrap();
    std::fs::write(dir.join("btf-difference.theirs"), &theirs[..theirs.len().min(ours.len() * 2 + 4)]).unwrap();
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b);
    panic!("case {index}, step {step} ({op:?}) differs at byte {at:?} of {}; script in {}", ours.len(), path.display());
}

/// The BTF that the operations make, not deduplicated.
pub fn build(ops: &[Op]) -> Btf {
    let mut state = State { cur: Btf::new(Endian::HOST), base: None, way: OurWay::default() };
    for op in ops {
        state.run(op, &mut Vec::new()).unwrap();
    }
    state.cur
}

/// Appends the types of `piece`, which stands alone, with ids and names translated; returns the id of the first.
pub fn append(btf: &mut Btf, piece: &Btf) -> u32 {
    let first = btf.type_count();
    let shift = |id: TypeId| if id.0 == 0 { id } else { TypeId(id.0 + first - 1) };
    for (_, ty) in piece.own_types() {
        let name = |off| piece.str_at(off).to_vec();
        let mut words = ty.words().to_vec();
        words[0] = btf.add_str(&name(ty.name())).unwrap().0;
        if let Some(id) = ty.type_id() {
            words[2] = shift(id).0;
        }
        if let Some(array) = ty.array() {
            words[3] = shift(array.elem).0;
            words[4] = shift(array.index).0;
        }
        for (i, member) in ty.members().enumerate() {
            words[3 + i * 3] = btf.add_str(&name(member.name)).unwrap().0;
            words[4 + i * 3] = shift(member.type_id).0;
        }
        for (i, param) in ty.params().enumerate() {
            words[3 + i * 2] = btf.add_str(&name(param.name)).unwrap().0;
            words[4 + i * 2] = shift(param.type_id).0;
        }
        let stride = if ty.kind() == dwarves::btf::Kind::Enum { 2 } else { 3 };
        for (i, enumerator) in ty.enumerators().enumerate() {
            words[3 + i * stride] = btf.add_str(&name(enumerator.name)).unwrap().0;
        }
        for (i, info) in ty.secinfos().enumerate() {
            words[3 + i * 3] = shift(info.type_id).0;
        }
        btf.push_record(&words).unwrap();
    }
    first
}
