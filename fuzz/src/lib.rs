//! What the fuzz targets do with their input: everything that reads it. Nothing may panic, hang or take memory without bound; results do
//! not matter, but for what has to hold between them.
//!
//! The same functions run on the stable toolchain, on seeds damaged at random: `tests/fuzz_smoke.rs`.

use dwarves::btf::{Btf, DedupOptions};
use dwarves::elf::ElfFile;
use dwarves::encoder::Encoder;
use dwarves::encoder::options::Options;
use dwarves::encoder::report::Collected;
use dwarves::loader::ctf::CtfFile;
use dwarves::loader::dwarf::{self, FileContext, Host, UnitFacts};
use dwarves::loader::encode::{EncodeContext, Share};
use dwarves::loader::queue::Steal;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A file with these bytes, which is gone when the value is dropped.
struct Input(PathBuf);

impl Input {
    fn new(bytes: &[u8]) -> Input {
        let thread = format!("{:?}", std::thread::current().id());
        let name = format!("dwarves-fuzz-{}-{}", std::process::id(), thread.replace(|c: char| !c.is_ascii_digit(), ""));
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).expect("the folder for temporary files can be written");
        Input(path)
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// An ELF file: sections decompressed and relocated, symbols, notes.
pub fn elf(bytes: &[u8]) {
    let input = Input::new(bytes);
    let Ok(file) = ElfFile::open(&input.0) else { return };
    for index in 0..file.sections().len() {
        let _ = file.read_raw(index);
        if let Ok(section) = file.section_data(index) {
            let _ = section.load();
        }
    }
    if let Ok(Some(symbols)) = file.symbols() {
        let _ = symbols.iter().map(|symbol| symbol.name.len()).sum::<usize>();
    }
    let _ = (file.notes().is_ok(), file.build_id().is_ok(), file.debug_link().is_ok(), file.debug_alt_link().is_ok());
}

/// A file with DWARF: all units become fragments and BTF, with every feature on, apart and merged.
pub fn dwarf(bytes: &[u8]) {
    let input = Input::new(bytes);
    for merge in [false, true] {
        encode(&input.0, merge);
    }
}

fn encode(path: &Path, merge: bool) {
    let Ok(file) = ElfFile::open(path) else { return };
    let Ok(context) = FileContext::open(file) else { return };
    let options = Options {
        decl_tags: true,
        type_tags: true,
        enum64: true,
        floats: true,
        percpu_vars: true,
        global_vars: true,
        force: true,
        consistent_protos: true,
        tag_kfuncs: true,
        attributes: true,
        true_signature: merge,
        ..Options::default()
    };
    let Ok(shared) = EncodeContext::new(context.dwarf.clone(), options.clone(), 2) else { return };
    let mut report = Collected::default();
    let Ok(encoder) = Encoder::new(context.dwarf.program(), &shared.functions, options, None, &mut report) else { return };
    let host = Units { context: shared.clone(), state: Mutex::new((encoder, report)) };
    let _ = dwarf::load(&host, &*shared, &context, 2, merge);
    let (mut encoder, mut report) = host.state.into_inner().expect("nobody panicked");
    if encoder.finish(true, &mut report).is_ok() {
        let bytes = encoder.btf().to_bytes();
        // The reader refuses what the writer has no business to write.
        Btf::parse(&bytes, None).expect("what was encoded can be read");
    }
}

/// Takes the units into an encoder.
struct Units {
    context: Arc<EncodeContext>,
    state: Mutex<(Encoder, Collected)>,
}

impl Host for Units {
    type Handle = Vec<u8>;
    type Product = Share;

    fn create(&self, _: &Arc<FileContext>, facts: &UnitFacts<'_>) -> Vec<u8> {
        facts.name.to_vec()
    }

    fn wants(&self, _: &Vec<u8>) -> bool {
        true
    }

    fn wants_part(&self, _: &UnitFacts<'_>) -> bool {
        true
    }

    fn steal(&self, name: Vec<u8>, mut share: Share, _: &[String]) -> Steal {
        let (encoder, report) = &mut *self.state.lock().expect("nobody panicked");
        match share.add_to(encoder, &self.context, &name, report) {
            Ok(()) => Steal::Continue,
            Err(_) => Steal::Abort,
        }
    }

    fn keep(&self, _: Vec<u8>) {}

    fn discard(&self, _: Vec<u8>) {}

    fn message(&self, _: &str) {}
}

/// BTF: read, deduplicated, written; read once more it is the same.
pub fn btf(bytes: &[u8]) {
    let Ok(mut btf) = Btf::parse(bytes, None) else { return };
    let _ = btf.own_types().map(|(_, record)| record.words().len()).sum::<usize>();
    if btf.dedup(&DedupOptions::default()).is_ok() {
        let written = btf.to_bytes();
        let again = Btf::parse(&written, None).expect("what was written can be read");
        assert_eq!(again.to_bytes(), written);
    }
}

/// A base and split BTF on it, the first two bytes saying where one ends: distilled, and put on the base again.
pub fn distill(bytes: &[u8]) {
    let Some((&[low, high], rest)) = bytes.split_first_chunk::<2>() else { return };
    let (base, split) = rest.split_at(usize::from(u16::from_le_bytes([low, high])).min(rest.len()));
    let Ok(base) = Btf::parse(base, None) else { return };
    let base = Arc::new(base);
    let Ok(mut split) = Btf::parse(split, Some(base.clone())) else { return };
    let _ = split.dedup(&DedupOptions::default());
    let Ok((distilled, on)) = split.distill_base() else { return };
    let on = Arc::new(Btf::parse(&on.to_bytes(), None).expect("a distilled base can be read"));
    let mut again = Btf::parse(&distilled.to_bytes(), Some(on)).expect("distilled BTF can be read");
    let _ = again.relocate(base);
}

/// A file with CTF.
pub fn ctf(bytes: &[u8]) {
    let input = Input::new(bytes);
    let Ok(file) = CtfFile::read(&input.0) else { return };
    let _ = file.symbols();
    let Ok(records) = file.content.types() else { return };
    for record in &records {
        let _ = file.content.string_tail(record.name);
        for index in 0..record.parts.min(1 << 16) {
            if file.content.member(record, index).is_err() {
                break;
            }
        }
    }
}
