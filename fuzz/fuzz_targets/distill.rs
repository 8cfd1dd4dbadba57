#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dwarves_fuzz::distill(data));
