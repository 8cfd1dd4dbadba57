//! `btf_encoder__*`: turning the units a program is shown into BTF.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::dwarf_loader::{encode_unit, options, printed_file};
use super::entry::{entry, non_null};
use super::libbpf::{self, Made};
use super::{encoding_context, stdio};
use crate::abi::external::Btf as LibbpfBtf;
use crate::abi::{ConfLoad, Cu};
use crate::elf::ElfFile;
use crate::elf::edit::EditError;
use crate::elf::output::OutputError;
use crate::encoder::report::{Report, text};
use crate::encoder::{EncodeError, Encoder, LateBase};
use crate::loader::again::{Printed, Taken};
use crate::loader::encode::{EncodeContext, Share};
use crate::loader::merged::MergedFile;
use crate::phases::{self, Phase};
use std::sync::Arc;

/// A symbol of data, as ELF numbers them.
const STT_OBJECT: u8 = 1;

/// `struct btf_encoder`, opaque to C.
///
/// cbindgen:ignore
pub struct BtfEncoder {
    encoder: Encoder,
    /// Where the BTF goes; `None` for the ELF file that it is made from.
    detached: Option<PathBuf>,
    path: Vec<u8>,
    streams: Streams,
    base: *mut LibbpfBtf,
    /// Of an address in the file, in bytes.
    addr_size: u8,
    /// For units that were loaded for printing: their files, as the encoder reads them.
    printed: Vec<PrintedFile>,
    /// What the program asked to see of the BTF, and at which sizes of types and strings.
    shown: Vec<(usize, usize, Made)>,
}

/// The encoder's BTF as an object of libbpf's, which lives as long as the encoder.
///
/// # Safety
/// The base that the encoder was made with is still there.
pub(super) unsafe fn object_of(encoder: &mut BtfEncoder) -> Result<*mut LibbpfBtf, String> {
    let btf = encoder.encoder.btf();
    let sizes = (btf.type_bytes(), btf.string_bytes());
    if let Some((_, _, made)) = encoder.shown.last().filter(|&&(types, strings, _)| (types, strings) == sizes) {
        return Ok(made.as_ptr());
    }
    // SAFETY: passed on.
    let made = unsafe { Made::new(&btf.to_bytes(), encoder.base, encoder.addr_size) }?;
    let object = made.as_ptr();
    encoder.shown.push((sizes.0, sizes.1, made));
    Ok(object)
}

/// C's streams as the encoder's report.
struct Streams {
    verbose: bool,
}

impl Report for Streams {
    fn error(&mut self, text: &[u8]) {
        // SAFETY: stderr is open for as long as the program runs.
        unsafe { stdio::put(stdio::stderr(), &[text]) };
    }

    fn out(&mut self, text: &[u8]) {
        if self.verbose || !text.is_empty() {
            // SAFETY: as is stdout.
            unsafe { stdio::put(stdio::stdout(), &[text]) };
        }
    }

    fn verbose(&self) -> bool {
        self.verbose
    }
}

/// Makes an encoder from the first unit. The BTF goes to `detached_filename`, or, when that is NULL, into the unit's file. NULL on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__new(
    cu: *mut Cu,
    detached_filename: *const c_char,
    base_btf: *mut LibbpfBtf,
    verbose: bool,
    conf_load: *mut ConfLoad,
) -> *mut BtfEncoder {
    entry(|| {
        non_null!(cu, conf_load);
        let mut streams = Streams { verbose };
        // SAFETY: a unit and a conf by the caller's word; the name is a string or NULL.
        let made = unsafe {
            let detached = (!detached_filename.is_null())
                .then(|| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(detached_filename).to_bytes())));
            new_encoder(cu, detached, base_btf, &*conf_load, &mut streams)
        };
        match made {
            Some(encoder) => {
                let encoder = Box::into_raw(Box::new(encoder));
                encoding_context::enter(encoder);
                encoder
            }
            None => std::ptr::null_mut(),
        }
    })
}

unsafe fn new_encoder(
    cu: *mut Cu,
    detached: Option<PathBuf>,
    base_btf: *mut LibbpfBtf,
    conf: &ConfLoad,
    streams: &mut Streams,
) -> Option<BtfEncoder> {
    let mut printed = Vec::new();
    // SAFETY: a valid unit. As in the C library, one without DWARF is no encoder's and nothing is said.
    let unit = unsafe { encode_unit(cu) };
    if unit.is_none() {
        // SAFETY: as above.
        unsafe { printed_file(cu) }?;
    }
    let context = match unit {
        Some(unit) => unit.context.clone(),
        // A unit that does not come from DWARF: the program says that there is no encoder.
        // SAFETY: as above.
        None if unsafe { printed_file(cu) }.is_none() => return None,
        // SAFETY: as above.
        None => match unsafe { printed_context(cu, conf, &mut printed) } {
            Ok(printed) => printed.context.clone(),
            Err(why) => {
                streams.error(&text!("btf_encoder__new: ", why.as_str(), "\n"));
                return None;
            }
        },
    };
    let base = if base_btf.is_null() {
        None
    } else {
        let _phase = phases::enter(Phase::Base);
        let base = match unit.and_then(|unit| unit.base.as_ref()).filter(|base| base.is_of(base_btf)) {
            Some(early) => early.late(),
            // SAFETY: the program's libbpf object, which outlives the encoder as it does in C.
            None => unsafe { libbpf::borrowed_base(base_btf) }.map(LateBase::from),
        };
        match base {
            Ok(base) => Some(base),
            Err(why) => {
                streams.error(&text!("btf_encoder__new: base BTF: ", why.as_str(), "\n"));
                return None;
            }
        }
    };
    let _phase = phases::enter(Phase::Open);
    let options = options(conf);
    let elf = context.dwarf.program();
    let encoder = match Encoder::new(elf, &context.functions, options, base, streams) {
        Ok(encoder) => encoder,
        Err(e) => {
            streams.error(&text!("btf_encoder__new: ", format_args!("{e}"), "\n"));
            return None;
        }
    };
    let path = elf.path().as_os_str().as_bytes().to_vec();
    if streams.verbose {
        if !encoder.has_percpu_section() {
            streams.out(&text!("btf_encoder__new: '", &path[..], "' doesn't have '.data..percpu' section\n"));
        }
        streams.out(&text!("File ", &path[..], ":\n"));
    }
    let streams = Streams { verbose: streams.verbose };
    let addr_size = elf.addr_size();
    Some(BtfEncoder { encoder, detached, path, streams, base: base_btf, addr_size, printed, shown: Vec::new() })
}

/// A file that was loaded for printing, and what its units share when they are encoded after all.
struct PrintedFile {
    file: Printed,
    context: Arc<EncodeContext>,
}

/// That of a unit, the one made for another unit of the file if there is one.
unsafe fn printed_context<'a>(cu: *mut Cu, conf: &ConfLoad, known: &'a mut Vec<PrintedFile>) -> Result<&'a PrintedFile, String> {
    // SAFETY: passed on.
    let Some(file) = (unsafe { printed_file(cu) }) else { return Err("the unit does not come from DWARF".to_string()) };
    let at = match known.iter().position(|known| Arc::ptr_eq(&known.file.context, file)) {
        Some(at) => at,
        None => {
            let context = EncodeContext::new(file.dwarf.clone(), options(conf), 1).map_err(|e| e.to_string())?;
            let file = Printed::new(file.clone()).map_err(|e| e.to_string())?;
            known.push(PrintedFile { file, context });
            known.len() - 1
        }
    };
    Ok(&known[at])
}

/// Adds a unit's types, functions and variables. 1 when done, -1 on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__encode_cu(encoder: *mut BtfEncoder, cu: *mut Cu, conf_load: *mut ConfLoad) -> c_int {
    entry(|| {
        non_null!(encoder, cu, conf_load);
        // SAFETY: an encoder of ours, a unit and a conf by the caller's word.
        let (encoder, name, result) = unsafe {
            let (encoder, name) = (&mut *encoder, stdio::text((*cu).name));
            let result = match encode_unit(cu) {
                Some(unit) => unit
                    .share
                    .lock()
                    .add_to(&mut encoder.encoder, &unit.context, name, &mut encoder.streams)
                    .map_err(Failure::Encode),
                None => encode_printed(encoder, cu, name, &*conf_load),
            };
            (encoder, name, result)
        };
        match result {
            Ok(()) => 1,
            // The report was told which variable.
            Err(Failure::Encode(EncodeError::Variable)) => -1,
            Err(e) => {
                let path = &encoder.path[..];
                encoder.streams.error(&text!(path, ": btf_encoder__encode_cu: unit '", name, "': ", format_args!("{e}"), "\n"));
                -1
            }
        }
    })
}

/// Why a unit was not encoded.
enum Failure {
    Encode(EncodeError),
    /// It cannot be read for the encoder.
    Read(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Encode(e) => e.fmt(f),
            Failure::Read(why) => f.write_str(why),
        }
    }
}

/// Reads a unit that was loaded for printing once more, and encodes it.
unsafe fn encode_printed(encoder: &mut BtfEncoder, cu: *mut Cu, name: &[u8], conf: &ConfLoad) -> Result<(), Failure> {
    let BtfEncoder { encoder, printed, streams, .. } = encoder;
    // SAFETY: passed on.
    let PrintedFile { file, context } = unsafe { printed_context(cu, conf, printed) }.map_err(Failure::Read)?;
    // SAFETY: a valid unit.
    let (id, has_tags) = unsafe { ((*cu).id, has_tags(&*cu)) };
    if !has_tags {
        // The program did not want what is in it.
        return Ok(());
    }
    let taken = file.take_in(&**context, id, name.is_empty()).map_err(|e| Failure::Read(e.to_string()))?;
    let mut share = match taken {
        Some(Taken::Unit(share, messages)) => {
            for message in messages {
                streams.error(&text!(message.as_str(), "\n"));
            }
            share
        }
        Some(Taken::Merged(plan)) => Share::Merged(Box::new(MergedFile::new(plan, usize::try_from(conf.nr_jobs).unwrap_or(0)))),
        None => return Err(Failure::Read("the unit is not in its file any more".to_string())),
    };
    share.add_to(encoder, context, name, streams).map_err(Failure::Encode)?;
    context.recycle(share);
    Ok(())
}

/// Whether a unit has anything in its tables.
fn has_tags(cu: &Cu) -> bool {
    cu.types_table.nr_entries > 1 || cu.functions_table.nr_entries > 0 || cu.tags_table.nr_entries > 0
}

/// Completes the BTF and writes it. 0, or negative on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__encode(encoder: *mut BtfEncoder, conf: *mut ConfLoad) -> c_int {
    entry(|| {
        non_null!(encoder, conf);
        // SAFETY: an encoder of ours and a conf by the caller's word.
        let (encoder, conf) = unsafe { (&mut *encoder, &*conf) };
        let result = encode(encoder, conf);
        if let Some(table) = phases::report() {
            encoder.streams.error(table.as_bytes());
        }
        match result {
            Ok(()) => 0,
            Err(e) => {
                let message = describe(&e, encoder);
                encoder.streams.error(&message);
                -1
            }
        }
    })
}

fn encode(encoder: &mut BtfEncoder, conf: &ConfLoad) -> Result<(), EncodeError> {
    encoder.encoder.finish(conf.skip_encoding_btf_inconsistent_proto, &mut encoder.streams)?;
    if encoder.encoder.is_empty() {
        return Ok(());
    }
    match &encoder.detached {
        Some(path) => encoder.encoder.write_detached(path),
        None => encoder.encoder.write_elf(),
    }
}

/// The texts that programs' users know.
fn describe(error: &EncodeError, encoder: &BtfEncoder) -> Vec<u8> {
    let strerror = |error: &std::io::Error| {
        let text = error.to_string();
        text.split(" (os error").next().unwrap_or_default().to_string()
    };
    match error {
        EncodeError::Output(OutputError::Create { path, source }) => text!(
            "btf_encoder__write_raw_file: Couldn't open ",
            path.as_os_str().as_bytes(),
            " for writing the raw BTF info: ",
            strerror(source).as_str(),
            "\n"
        ),
        EncodeError::Output(e) => text!("btf_encoder__write_raw_file: ", format_args!("{e}"), "\n"),
        EncodeError::Edit(EditError::Open { path, .. }) => text!("Cannot open ", path.as_os_str().as_bytes(), "\n"),
        EncodeError::Edit(e) => {
            text!("btf_encoder__write_elf: failed to add .BTF section to '", &encoder.path[..], "': ", format_args!("{e}"), "\n")
        }
        EncodeError::Dedup(e) => {
            text!(&encoder.path[..], ": btf_encoder__encode: btf__dedup failed: ", format_args!("{e}"), "\n")
        }
        e => text!(&encoder.path[..], ": btf_encoder__encode: ", format_args!("{e}"), "\n"),
    }
}

/// Whether a variable of that name is in the section of that number, by the symbols of the file that the encoder was made for. It reads
/// the file anew: the encoder keeps the symbols of functions only, and no released program asks.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn variable_in_sec(encoder: *mut BtfEncoder, name: *const c_char, shndx: usize) -> bool {
    entry(|| {
        non_null!(encoder, name);
        // SAFETY: an encoder of ours and a string by the caller's word.
        let (path, name) = unsafe { (PathBuf::from(OsStr::from_bytes(&(*encoder).path)), CStr::from_ptr(name).to_bytes()) };
        let symbols = ElfFile::open(&path).and_then(|elf| elf.symbols());
        let Ok(Some(symbols)) = symbols else { return false };
        symbols.iter().any(|symbol| symbol.st_type == STT_OBJECT && symbol.shndx as usize == shndx && symbol.name == name)
    })
}

/// Frees an encoder; NULL is accepted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn btf_encoder__delete(encoder: *mut BtfEncoder) {
    entry(|| {
        if !encoder.is_null() {
            encoding_context::leave(encoder);
            // SAFETY: made by btf_encoder__new and not used any more, by the caller's word.
            unsafe { drop(Box::from_raw(encoder)) }
        }
    })
}
