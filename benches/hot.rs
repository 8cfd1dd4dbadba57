//! The hot parts of encoding, one by one: `cargo bench`, or `cargo bench -- dedup` for some.
//!
//! On a program that `scripts/diff/synthetic.py` writes, or on the file named by `DWARVES_BENCH_FILE` (a module, a kernel: units that stand
//! alone). Times are those of a whole pass over all units.

use divan::{Bencher, black_box};
use dwarves::btf::{Btf, DedupOptions, Endian};
use dwarves::dwarf::abbrev::{Abbrevs, Attrs};
use dwarves::dwarf::file::DwarfFile;
use dwarves::dwarf::source::{Source, Unit, read_unit_entry};
use dwarves::dwarf::unit::{Bases, UnitHeader};
use dwarves::elf::ElfFile;
use dwarves::encoder::ambiguous::Ambiguous;
use dwarves::encoder::builder::{Builder, Scratch};
use dwarves::encoder::elf_functions::ElfFunctions;
use dwarves::encoder::fragment::Fragment;
use dwarves::encoder::identity::{IdentityScratch, identify};
use dwarves::encoder::merge::{Dropping, FileNames, Merger};
use dwarves::encoder::options::{Abi, Options};
use dwarves::encoder::source::{SourceNames, wanted};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

fn main() {
    divan::main();
}

/// The file that all benches work on.
struct Input {
    dwarf: Arc<DwarfFile>,
    functions: ElfFunctions,
    options: Options,
    headers: Vec<UnitHeader>,
}

static INPUT: LazyLock<Input> = LazyLock::new(Input::open);

impl Input {
    fn open() -> Input {
        let path = std::env::var_os("DWARVES_BENCH_FILE").map_or_else(synthetic, PathBuf::from);
        let elf = Arc::new(ElfFile::open(&path).expect("an ELF file"));
        let functions = ElfFunctions::collect(&elf, &[]).expect("symbols");
        let dwarf = Arc::new(DwarfFile::open(elf).expect("DWARF").expect("DWARF in the file"));
        let (mut headers, mut offset) = (Vec::new(), 0);
        while let Some(header) = dwarf.unit_header(offset).expect("units") {
            offset = header.offset + header.size;
            headers.push(header);
        }
        Input { dwarf, functions, options: Options { percpu_vars: true, ..Options::default() }, headers }
    }

    /// A fragment of each unit, without hashes.
    fn fragments(&self) -> Vec<Fragment> {
        let mut reader = Reader::default();
        self.headers.iter().map(|header| reader.fragment(self, *header)).collect()
    }

    fn hashed(&self) -> Vec<Fragment> {
        let (ambiguous, mut scratch) = (Ambiguous::default(), IdentityScratch::default());
        let mut fragments = self.fragments();
        fragments.iter_mut().for_each(|fragment| identify(fragment, &ambiguous, &mut scratch));
        fragments
    }

    fn merge(&self, fragments: &[Fragment]) -> Btf {
        self.merge_into(Btf::new(Endian::HOST), fragments)
    }

    fn merge_into(&self, mut btf: Btf, fragments: &[Fragment]) -> Btf {
        let (mut merger, mut names) = (Merger::default(), FileNames::new(self.dwarf.clone()));
        merger.next_file(self.dwarf.info_size());
        let ambiguous = Ambiguous::default();
        let drop = Dropping { on: true, same: true, ambiguous: &ambiguous };
        for fragment in fragments {
            merger.add_types(&mut btf, fragment, &mut names, &drop).expect("room for the types");
        }
        btf
    }
}

fn synthetic() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-program");
    let made = Command::new("python3").arg(root.join("scripts/diff/synthetic.py")).arg(&path).args(["--units", "200"]).status();
    assert!(made.is_ok_and(|status| status.success()), "scripts/diff/synthetic.py makes the input, and needs python3");
    path
}

/// What a worker keeps from unit to unit.
#[derive(Default)]
struct Reader {
    buf: Vec<u8>,
    table: Vec<u8>,
    abbrevs: Abbrevs,
    attrs: Attrs,
    scratch: Scratch,
}

impl Reader {
    fn fragment(&mut self, input: &Input, header: UnitHeader) -> Fragment {
        let dwarf = &*input.dwarf;
        let mut fragment = Fragment::default();
        dwarf.read_info(header.offset, header.size, &mut self.buf).expect("the unit's bytes");
        dwarf.read_abbrevs(&header, &mut self.table, &mut self.abbrevs, wanted).expect("abbreviations");
        let abbrevs = std::mem::take(&mut self.abbrevs);
        let end = header.size as u32;
        let mut unit = Unit { header, bases: Bases::default(), abbrevs, start: 0, end, language: 0, producer_clang: false };
        let entry = read_unit_entry(dwarf, &self.buf, &mut unit, &mut self.attrs).expect("the unit's entry");
        if let Some((_, true, key)) = entry {
            let units = std::slice::from_ref(&unit);
            let source = Source::new(dwarf, &self.buf, units, header.offset);
            let names = SourceNames { source, kabi_prefix: None, local: false };
            let abi = Abi::of(dwarf.elf().machine());
            let mut builder = Builder::new(names, &input.options, abi, &mut self.scratch, &mut fragment);
            builder.walk(&units[0], key).expect("entries");
            builder.finish(Some(&input.functions));
        }
        self.abbrevs = unit.abbrevs;
        fragment
    }
}

/// Abbreviation tables compiled to plans.
#[divan::bench]
fn abbreviations(bencher: Bencher) {
    let input = &*INPUT;
    let mut reader = Reader::default();
    bencher.bench_local(|| {
        for header in &input.headers {
            input.dwarf.read_abbrevs(header, &mut reader.table, &mut reader.abbrevs, wanted).expect("abbreviations");
        }
    });
}

/// Units to fragments: reading, walk, references, functions.
#[divan::bench]
fn fragments(bencher: Bencher) {
    let input = &*INPUT;
    let mut reader = Reader::default();
    bencher.bench_local(|| {
        for header in &input.headers {
            black_box(reader.fragment(input, *header));
        }
    });
}

#[divan::bench]
fn identities(bencher: Bencher) {
    let mut fragments = INPUT.fragments();
    let (ambiguous, mut scratch) = (Ambiguous::default(), IdentityScratch::default());
    bencher.bench_local(|| fragments.iter_mut().for_each(|fragment| identify(fragment, &ambiguous, &mut scratch)));
}

/// The ordered stage's part of the types.
#[divan::bench]
fn merge(bencher: Bencher) {
    let fragments = INPUT.hashed();
    bencher.bench_local(|| INPUT.merge(&fragments));
}

#[divan::bench]
fn dedup(bencher: Bencher) {
    let btf = INPUT.merge(&INPUT.hashed());
    bencher.with_inputs(|| btf.clone()).bench_local_values(|mut btf| {
        btf.dedup(&DedupOptions::default()).expect("sound types");
        btf
    });
}

/// All strings of the result, added twice.
#[divan::bench]
fn strings(bencher: Bencher) {
    let section = INPUT.dwarf.debug_str();
    let strings: Vec<&[u8]> = section.split(|&byte| byte == 0).collect();
    bencher.bench_local(|| {
        let mut btf = Btf::new(Endian::HOST);
        for s in strings.iter().chain(&strings) {
            btf.add_str(s).expect("room for strings");
        }
        btf
    });
}

/// A tenth of the file's units against the whole file's types.
#[divan::bench]
fn dedup_against_base(bencher: Bencher) {
    let fragments = INPUT.hashed();
    let mut base = INPUT.merge(&fragments);
    base.dedup(&DedupOptions::default()).expect("sound types");
    let base = Arc::new(base);
    let split = Btf::new_split_behind(base.end(), Endian::HOST);
    let mut split = INPUT.merge_into(split, &fragments[..fragments.len().div_ceil(10)]);
    split.set_base(base).expect("the right one");
    bencher.with_inputs(|| split.clone()).bench_local_values(|mut btf| {
        btf.dedup(&DedupOptions::default()).expect("sound types");
        btf
    });
}
