//! Generates `include/dwarves_types.h` from the Rust sources.
//!
//! cbindgen writes structures and prototypes; three things it cannot know are added here: bit-fields, which the sources keep in
//! bytes next to a `bits!` table that names them, unions without a name, and functions that do not return.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cbindgen::ItemType;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Rust fields whose union C leaves without a name.
const UNNAMED: [(&str, &str); 2] = [("tool_links", "tool"), ("ctf_size_or_type", "size_or_type")];

/// C types of bit-fields other than `uint8_t`, by structure.
const BOOL_BIT_FIELDS: [&str; 1] = ["tag"];

fn main() -> ExitCode {
    let check = std::env::args().any(|argument| argument == "--check");
    match run(check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the header, or with `check` only compares it with what is there.
fn run(check: bool) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no parent directory")?;
    let mut config = cbindgen::Config::from_file(root.join("cbindgen.toml"))?;
    config.export.item_types = vec![ItemType::Structs, ItemType::Unions, ItemType::Typedefs, ItemType::Functions];
    let c_names = config.export.rename.clone();
    // Structures that no function takes belong to the interface as well.
    config.export.include = c_names.keys().cloned().collect();
    config.export.include.sort();

    // Files of modules are found through these.
    let builder =
        cbindgen::Builder::new().with_config(config).with_src(root.join("src/abi/mod.rs")).with_src(root.join("src/capi/mod.rs"));
    let mut bits = BTreeMap::new();
    for file in sources(&root.join("src/abi"))? {
        collect_bits(&fs::read_to_string(&file)?, &c_names, &mut bits)?;
    }
    let mut generated = Vec::new();
    builder.generate()?.write(&mut generated);
    let header = finish(&String::from_utf8(generated)?, &bits)?;

    let path = root.join("include/dwarves_types.h");
    if !check {
        return Ok(fs::write(path, header)?);
    }
    if fs::read_to_string(&path)? == header {
        Ok(())
    } else {
        Err("include/dwarves_types.h is out of date: run scripts/gen-headers".into())
    }
}

/// The Rust files of a folder and those below it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

/// A bit-field: its name and width in bits.
type BitField = (String, u32);

/// Reads the `bits!` tables of a source: bit-fields by C structure and byte.
fn collect_bits(
    source: &str,
    c_names: &HashMap<String, String>,
    bits: &mut BTreeMap<(String, String), Vec<BitField>>,
) -> Result<()> {
    for table in source.split("\nbits! { ").skip(1) {
        let (owner, rest) = table.split_once(" {").ok_or("bits! without a table")?;
        let (ty, byte) = owner.split_once('.').ok_or("bits! without a field")?;
        let owner = (c_names.get(ty).ok_or("bits! of an unknown type")?.clone(), byte.to_owned());
        let mut fields = Vec::new();
        for line in rest.lines().map(str::trim).take_while(|line| *line != "} }").filter(|line| !line.is_empty()) {
            let (names, place) = line.trim_end_matches(';').split_once(':').ok_or("bits! without a place")?;
            let name = names.split(',').next().unwrap_or(names).trim().to_owned();
            let width = place.split(',').nth(1).map_or(Ok(1), |width| width.trim().parse())?;
            fields.push((name, width));
        }
        bits.insert(owner, fields);
    }
    Ok(())
}

fn finish(generated: &str, bits: &BTreeMap<(String, String), Vec<BitField>>) -> Result<String> {
    let mut out = String::new();
    let mut unused: BTreeSet<_> = bits.keys().cloned().collect();
    let mut owner = String::new();
    let mut unions: BTreeMap<&str, String> = BTreeMap::new();
    let mut lines = generated.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((name, _)) = line.strip_prefix("union ").and_then(|line| line.split_once(" {")) {
            if let Some((name, _)) = UNNAMED.iter().find(|(known, _)| *known == name) {
                let body: Vec<_> = lines.by_ref().take_while(|line| *line != "};").collect();
                unions.insert(name, body.join("\n"));
                continue;
            }
        }
        if let Some(name) = line.strip_prefix("struct ").and_then(|line| line.strip_suffix(" {")) {
            owner = name.to_owned();
        }
        let field = line.trim().trim_end_matches(';');
        if let Some((name, _)) = UNNAMED.iter().find(|(ty, name)| field == format!("union {ty} {name}")) {
            let body = unions.get(name).ok_or("a union is used before it is defined")?;
            out += &format!("        union {{\n{}\n        }};\n", body.replace("        ", "                "));
            continue;
        }
        let key = (owner.clone(), field.rsplit(' ').next().unwrap_or_default().to_owned());
        if let Some(fields) = bits.get(&key).filter(|_| field.starts_with("uint8_t ")) {
            unused.remove(&key);
            let ty = if BOOL_BIT_FIELDS.contains(&owner.as_str()) { "bool" } else { "uint8_t" };
            for (name, width) in fields {
                out += &format!("        {ty} {name}:{width};\n");
            }
            continue;
        }
        out += &tidy(line);
        out.push('\n');
    }
    if !unused.is_empty() {
        return Err(format!("bits! tables without a field in the header: {unused:?}").into());
    }
    Ok(out)
}

/// Names as C has them. Parameters of functions that do nothing yet start with an underscore in Rust.
fn tidy(line: &str) -> String {
    let line = line.replace("void tag__not_found_die(", "__attribute__((noreturn)) void tag__not_found_die(");
    // Spared by cbindgen because of C++, where the prelude takes care of it.
    let line = line.replace(" namespace_;", " namespace;");
    let mut out = String::new();
    let mut rest = line.as_str();
    while let Some(at) = rest.find([' ', '*']) {
        out += &rest[..=at];
        rest = &rest[at + 1..];
        if let Some(name) = rest.strip_prefix('_').filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase())) {
            rest = name;
        }
    }
    out + rest
}
