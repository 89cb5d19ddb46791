//! Parquet files, some thousand rows at a time.

use super::super::memory::Memory;
use super::{Show, damaged, guarded, pages};
use crate::DataError;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Rows at a time, if memory allows.
const ROWS: u64 = 4096;

/// A Parquet file whose footer was read.
pub(super) struct File {
    bytes: Bytes,
    metadata: ArrowReaderMetadata,
}

impl File {
    pub(super) fn open(path: &Path, bytes: Bytes) -> Result<Self, DataError> {
        let options = ArrowReaderOptions::new();
        let metadata = guarded(path, || ArrowReaderMetadata::load(&bytes, options))?;
        Ok(Self { bytes, metadata })
    }

    /// The schema and the number of rows, from the footer alone.
    pub(super) fn footer(
        file: &fs::File,
        memory: &mut Memory<'_>,
    ) -> Result<(SchemaRef, usize), DataError> {
        let path = memory.path;
        let unread = |source| DataError::Io { path: path.to_owned(), source };
        let length = file.metadata().map_err(unread)?.len();
        let mut last = [0; 8];
        let begin = length.checked_sub(8).ok_or_else(|| damaged(path, "it is cut short"))?;
        let mut end = file;
        end.seek(SeekFrom::Start(begin)).and_then(|_| end.read_exact(&mut last)).map_err(unread)?;
        let footer = u32::from_le_bytes([last[0], last[1], last[2], last[3]]);
        memory.take("the footer", u64::from(footer))?;
        let options = ArrowReaderOptions::new();
        let metadata = guarded(path, || ArrowReaderMetadata::load(file, options))?;
        Ok((Arc::clone(metadata.schema()), rows(&metadata)))
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(self.metadata.schema())
    }

    pub(super) fn rows(&self) -> usize {
        rows(&self.metadata)
    }

    pub(super) fn visit(
        self,
        memory: &mut Memory<'_>,
        columns: &[usize],
        show: Show<'_>,
    ) -> Result<(), DataError> {
        let path = memory.path;
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), columns.iter().copied());
        for group in 0..self.metadata.metadata().num_row_groups() {
            // Of each column one page and its dictionary are unpacked at a time.
            let chunks = self.metadata.metadata().row_group(group).columns();
            let (mut unpacked, mut largest) = (0_u64, 1_u64);
            for (leaf, chunk) in chunks.iter().enumerate() {
                if mask.leaf_included(leaf) {
                    let page = pages::largest(path, &self.bytes, chunk)?;
                    unpacked = unpacked.saturating_add(page.saturating_mul(2));
                    largest = largest.max(page);
                }
            }
            memory.take("the unpacked pages", unpacked)?;
            // A text of a page may stand in every row.
            let most = memory.left() / 4 / largest / columns.len().max(1) as u64;
            let rows = ROWS.min(most.max(1)) as usize;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(
                self.bytes.clone(),
                self.metadata.clone(),
            );
            let builder = builder.with_projection(mask.clone()).with_row_groups(vec![group]);
            let mut batches = guarded(path, || builder.with_batch_size(rows).build())?;
            while let Some(batch) = guarded(path, || batches.next().transpose())? {
                show(memory, &batch)?;
            }
            memory.give_back(unpacked);
        }
        Ok(())
    }
}

/// How many rows the footer names.
fn rows(metadata: &ArrowReaderMetadata) -> usize {
    usize::try_from(metadata.metadata().file_metadata().num_rows()).unwrap_or(0)
}
