//! Compressed data, as sections have it.

use flate2::{Decompress, FlushDecompress, Status};
use ruzstd::decoding::FrameDecoder;

/// What data is compressed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Zlib,
    Zstandard,
}

impl Format {
    /// How many times its compressed size data may claim to have. Deflate cannot exceed this.
    const MAX_RATIO: u64 = 1032;

    /// Zstandard's best is a block of 128 KiB in four bytes. It is allowed up to this many bytes; beyond them no section of debugging
    /// information is that uniform, and [`Format::MAX_RATIO`] holds.
    const MAX_UNIFORM: u64 = 256 << 20;

    /// The largest size in bytes that is believed of `compressed` bytes. What claims more is damaged, and no memory is taken for it.
    pub fn max_size(self, compressed: usize) -> u64 {
        let compressed = compressed as u64;
        let usual = compressed.saturating_mul(Format::MAX_RATIO);
        match self {
            Format::Zlib => usual,
            Format::Zstandard => usual.max(compressed.saturating_mul((128 << 10) / 4).min(Format::MAX_UNIFORM)),
        }
    }

    /// The `size` bytes that `data` stands for; else what is wrong with it.
    pub fn decompress(self, data: &[u8], size: u64) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        if !usize::try_from(size).is_ok_and(|size| bytes.try_reserve_exact(size).is_ok()) {
            return Err(format!("no memory for {size:#x} bytes"));
        }
        match self {
            Format::Zlib => inflate(data, &mut bytes)?,
            Format::Zstandard => {
                FrameDecoder::new().decode_all_to_vec(data, &mut bytes).map_err(|e| format!("damaged zstd data: {e}"))?;
            }
        }
        match bytes.len() as u64 {
            len if len == size => Ok(bytes),
            len => Err(format!("decompresses to {len:#x} bytes, expected {size:#x}")),
        }
    }
}

/// Appends what one zlib stream after the other has, as libelf does; there is room in `bytes` for what is expected of them.
fn inflate(mut data: &[u8], bytes: &mut Vec<u8>) -> Result<(), String> {
    let mut stream = Decompress::new(true);
    loop {
        let status = stream.decompress_vec(data, bytes, FlushDecompress::Finish);
        if status.map_err(|e| format!("damaged zlib data: {e}"))? != Status::StreamEnd {
            return Err("zlib data that ends too late or not at all".to_string());
        }
        data = usize::try_from(stream.total_in()).ok().and_then(|read| data.get(read..)).unwrap_or_default();
        if data.is_empty() {
            return Ok(());
        }
        stream.reset(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn of_the_expected_size_or_an_error() {
        let text = b"struct list_head { struct list_head *next, *prev; };".repeat(1000);
        for (format, packed) in [(Format::Zlib, zlib(&text)), (Format::Zstandard, zstd(&text))] {
            let size = text.len() as u64;
            assert!(size <= format.max_size(packed.len()));
            assert_eq!(format.decompress(&packed, size), Ok(text.clone()));
            for wrong in [0, size - 1, size + 1, u64::MAX] {
                assert!(format.decompress(&packed, wrong).is_err(), "{format:?} {wrong}");
            }
            for cut in [0, 1, packed.len() / 2, packed.len() - 1] {
                assert!(format.decompress(&packed[..cut], size).is_err(), "{format:?} cut at {cut}");
            }
            let (twice, packed_twice) = (text.repeat(2), packed.repeat(2));
            assert_eq!(format.decompress(&packed_twice, 2 * size), Ok(twice));
            assert!(format.decompress(&[&packed[..], b"rest"].concat(), size).is_err());
            let mut damaged = packed.clone();
            damaged[0] ^= 0xff;
            assert!(format.decompress(&damaged, size).is_err());
        }
    }
}
