//! Small files of each format, built by hand.

use std::io::Write;

/// A `.npy` file of version 1.0.
pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(numbers);
    bytes
}

/// A zip archive.
pub(crate) fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, contents) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(contents).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// An idx file.
pub(crate) fn idx(kind: u8, shape: &[u32], numbers: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, kind, u8::try_from(shape.len()).unwrap()];
    bytes.extend(shape.iter().flat_map(|size| size.to_be_bytes()));
    bytes.extend(numbers);
    bytes
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar archive.
pub(crate) fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, contents) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *contents).unwrap();
    }
    builder.into_inner().unwrap()
}

/// An element of a MATLAB file, padded to 8 bytes; at most four bytes take the small format.
fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let size = u32::try_from(data.len()).unwrap();
    let mut bytes = Vec::new();
    if (1..=4).contains(&size) {
        bytes.extend((kind | size << 16).to_le_bytes());
    } else {
        bytes.extend(kind.to_le_bytes());
        bytes.extend(size.to_le_bytes());
    }
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// One variable of a MATLAB file: `class` is the array's class, `kind` the type of the numbers.
pub(crate) fn mat_array(
    name: &str,
    class: u8,
    shape: &[i32],
    kind: u32,
    numbers: &[u8],
) -> Vec<u8> {
    let shape: Vec<u8> = shape.iter().flat_map(|size| size.to_le_bytes()).collect();
    let mut inside = element(6, &[class, 0, 0, 0, 0, 0, 0, 0]);
    inside.extend(element(5, &shape));
    inside.extend(element(1, name.as_bytes()));
    inside.extend(element(kind, numbers));
    element(14, &inside)
}

/// A MATLAB 5 file of the given variables.
pub(crate) fn mat(arrays: &[Vec<u8>], compressed: bool) -> Vec<u8> {
    let mut bytes = vec![b' '; 124];
    bytes.extend([0x00, 0x01, b'I', b'M']);
    for array in arrays {
        if compressed {
            let mut encoder =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(array).unwrap();
            let packed = encoder.finish().unwrap();
            bytes.extend(15_u32.to_le_bytes());
            bytes.extend(u32::try_from(packed.len()).unwrap().to_le_bytes());
            bytes.extend(packed);
        } else {
            bytes.extend(array);
        }
    }
    bytes
}

/// One Reuters document.
pub(crate) const SGML: &str = r#"<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="2">
<TOPICS><D>grain</D><D>wheat</D></TOPICS>
<TEXT>&#2;
<TITLE>WHEAT &lt;W&gt; UP &amp; AWAY</TITLE>
<DATELINE>    ROME, Feb 26 - </DATELINE><BODY>Prices rose&hellip; 5 &amp;lt; 6.
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="NOT-USED" CGISPLIT="TRAINING-SET" OLDID="5545" NEWID="1">
<TOPICS></TOPICS>
<TEXT TYPE="UNPROC">&#2;
 all of it
&#3;</TEXT>
</REUTERS>
"#;

/// A KEEL file.
pub(crate) const KEEL: &str = "@relation toy\n\
    @attribute width real [0.0, 2.0]\n\
    @attribute kind {b, a}\n\
    @attribute height integer[0,9]\n\
    @inputs width, height\n\
    @outputs kind\n\
    @data\n\
    0.5, a, 3\n\
    1.5, <null>, 4\n";

/// One row of optdigits.
pub(crate) fn optdigits_row(pixel: &str, digit: &str) -> String {
    let mut cells = vec![pixel; 64];
    cells.push(digit);
    cells.join(",")
}

/// A table as Parquet, plain and packed, and as Arrow files, plain and packed.
#[cfg(feature = "columnar")]
pub(crate) fn columnar(table: &arrow_array::RecordBatch) -> Vec<Vec<u8>> {
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    let mut files = Vec::new();
    let (zstd, gzip) =
        (Compression::ZSTD(ZstdLevel::default()), Compression::GZIP(GzipLevel::default()));
    let plain = Compression::UNCOMPRESSED;
    for packed in [plain, Compression::SNAPPY, Compression::LZ4_RAW, zstd, gzip] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let how = WriterProperties::builder();
            let how = how.set_compression(packed).set_writer_version(version).build();
            let mut bytes = Vec::new();
            let writer =
                parquet::arrow::ArrowWriter::try_new(&mut bytes, table.schema(), Some(how));
            let mut writer = writer.unwrap();
            writer.write(table).unwrap();
            writer.close().unwrap();
            files.push(bytes);
        }
    }
    for packed in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let how = IpcWriteOptions::default().try_with_compression(packed).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            FileWriter::try_new_with_options(&mut bytes, &table.schema(), how).unwrap();
        writer.write(table).unwrap();
        writer.finish().unwrap();
        files.push(bytes);
        let how = IpcWriteOptions::default().try_with_compression(packed).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &table.schema(), how).unwrap();
        writer.write(table).unwrap();
        writer.finish().unwrap();
        files.push(bytes);
    }
    files
}
