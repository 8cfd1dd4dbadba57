//! A real kernel's BTF: reading and writing it changes nothing, and modules distilled from it are what the reference makes.

mod btf_support;

use btf_support::{OurWay, assert_same, frontends, kernel_module, op, pahole, vmlinux};
use dwarves::btf::{Btf, Endian};
use object::{Object, ObjectSection};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

const MODULES: [&str; 3] = ["net/key/af_key.ko", "net/vmw_vsock/vsock_loopback.ko", "net/netfilter/nf_nat.ko"];

fn arg(prefix: &str, path: &Path) -> std::ffi::OsString {
    let mut arg = std::ffi::OsString::from(prefix);
    arg.push(path);
    arg
}

#[test]
fn kernel_and_modules() {
    frontends();
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let base_path = dir.path().join("vmlinux.btf");
    pahole(&[OsStr::new("-J"), &arg("--btf_encode_detached=", &base_path), vmlinux().as_os_str()]);
    let bytes = std::fs::read(&base_path).unwrap();
    let base = Btf::parse(&bytes, None).unwrap();
    assert!(base.to_bytes() == bytes, "writing what was read changed it");

    // The other byte order, there and back.
    let mut swapped = base.clone();
    swapped.set_endian(Endian::Big);
    let swapped = Btf::parse(&swapped.to_bytes(), None).unwrap();
    assert_eq!(swapped.endian(), Endian::Big);
    let mut back = swapped.clone();
    back.set_endian(Endian::Little);
    assert!(back.to_bytes() == bytes, "swapping twice changed something");

    let base = Arc::new(base);
    let mut cases = vec![vec![op("load", base_path.to_str().unwrap(), &[]), op("dedup", "", &[0]), op("raw", "", &[])]];
    for module in MODULES {
        let source = kernel_module(module);
        let detached = dir.path().join("module.btf").with_extension(module.replace('/', "_"));
        let base_arg = arg("--btf_base=", &base_path);
        let features = OsStr::new("--btf_features=default");
        pahole(&[OsStr::new("-J"), &base_arg, features, &arg("--btf_encode_detached=", &detached), source.as_os_str()]);
        let split_bytes = std::fs::read(&detached).unwrap();
        let split = Btf::parse(&split_bytes, Some(base.clone())).unwrap();
        assert!(split.to_bytes() == split_bytes, "{module}: writing what was read changed it");
        let (new_split, new_base) = split.distill_base().unwrap();

        let copy = dir.path().join("copy.ko");
        std::fs::copy(&source, &copy).unwrap();
        pahole(&[OsStr::new("-J"), &base_arg, OsStr::new("--btf_features=+distilled_base"), copy.as_os_str()]);
        let file = std::fs::read(&copy).unwrap();
        let file = object::File::parse(&*file).unwrap();
        let section = |name| file.section_by_name(name).unwrap_or_else(|| panic!("{module}: no {name}")).data().unwrap();
        assert!(section(".BTF.base") == new_base.to_bytes(), "{module}: distilled base differs");
        assert!(section(".BTF") == new_split.to_bytes(), "{module}: split BTF on the distilled base differs");

        cases.push(vec![
            op("new", "", &[]),
            op("load", base_path.to_str().unwrap(), &[]),
            op("load_split", detached.to_str().unwrap(), &[]),
            op("distill", "", &[]),
            op("dedup", "", &[0]),
            op("raw", "", &[]),
        ]);
    }
    assert_same(&cases, &[OurWay::default()]);
}
