//! Parquet files, some thousand rows at a time.

use super::super::memory::Memory;
use super::{Show, guarded, pages};
use crate::DataError;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
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

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(self.metadata.schema())
    }

    pub(super) fn rows(&self) -> usize {
        let rows = self.metadata.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
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
