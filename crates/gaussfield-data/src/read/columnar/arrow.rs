//! Arrow files and streams, batch by batch.

use super::super::memory::Memory;
use super::{Show, damaged, guarded};
use crate::DataError;
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The length of the footer, and the magic word.
const TRAILER: usize = 10;
/// What a message of a stream begins with, before the length of its head.
pub(super) const MESSAGE: [u8; 4] = [0xff; 4];
/// That and the length.
const PREFIX: usize = 8;
/// A buffer that is stored as it is among packed ones.
const NOT_PACKED: i64 = -1;

/// An Arrow file whose footer was read.
pub(super) struct File {
    bytes: Buffer,
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    rows: usize,
}

impl File {
    pub(super) fn open(path: &Path, bytes: Bytes) -> Result<Self, DataError> {
        let cut = || damaged(path, "the footer is not there");
        let trailer = bytes.len().checked_sub(TRAILER).ok_or_else(cut)?;
        let last = bytes.get(trailer..).and_then(|last| last.try_into().ok()).ok_or_else(cut)?;
        let length = guarded(path, || read_footer_length(last))?;
        let begin = trailer.checked_sub(length).ok_or_else(cut)?;
        let footer = bytes.get(begin..trailer).ok_or_else(cut)?;
        let footer = root_as_footer(footer).map_err(|error| damaged(path, error))?;
        let schema = footer.schema().ok_or_else(|| damaged(path, "there is no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged(path, "its numbers have the bytes of another machine"));
        }
        let version = footer.version();
        let blocks = |list: Option<flatbuffers::Vector<'_, Block>>| {
            list.map(|list| list.iter().copied().collect()).unwrap_or_default()
        };
        let (dictionaries, batches) =
            (blocks(footer.dictionaries()), blocks(footer.recordBatches()));
        let schema = guarded(path, || arrow_ipc::convert::try_fb_to_schema(schema))?;
        let bytes = Buffer::from(bytes);
        Self { bytes, schema: Arc::new(schema), version, dictionaries, batches, rows: 0 }
            .counted(path)
    }

    /// A stream of messages: a schema, then dictionaries and batches up to an empty message or the end.
    pub(super) fn of_stream(path: &Path, bytes: Bytes) -> Result<Self, DataError> {
        let cut = || damaged(path, "a message is cut short");
        let bytes = Buffer::from(bytes);
        let (mut schema, mut version) = (None, MetadataVersion::V5);
        let (mut dictionaries, mut batches, mut known) = (Vec::new(), Vec::new(), HashSet::new());
        let mut at = 0;
        while let Some(prefix) = bytes.get(at..at + PREFIX) {
            let (mark, length) = prefix.split_at(4);
            let length = u32::from_le_bytes(length.try_into().map_err(|_| cut())?) as usize;
            if mark != MESSAGE {
                return Err(damaged(path, "something else stands where a message should"));
            }
            if length == 0 {
                break;
            }
            let head = bytes.get(at + PREFIX..).and_then(|rest| rest.get(..length));
            let message =
                root_as_message(head.ok_or_else(cut)?).map_err(|error| damaged(path, error))?;
            let body = usize::try_from(message.bodyLength()).map_err(|_| cut())?;
            let head = i32::try_from(PREFIX + length).map_err(|_| cut())?;
            let block = Block::new(at as i64, head, message.bodyLength());
            match message.header_type() {
                MessageHeader::Schema => {
                    let own = message.header_as_schema();
                    let own = own.ok_or_else(|| damaged(path, "there is no schema"))?;
                    if !own.endianness().equals_to_target_endianness() {
                        return Err(damaged(path, "its numbers have the bytes of another machine"));
                    }
                    version = message.version();
                    schema = Some(guarded(path, || arrow_ipc::convert::try_fb_to_schema(own))?);
                }
                MessageHeader::DictionaryBatch => {
                    let own = message.header_as_dictionary_batch();
                    if own.is_some_and(|own| !known.insert(own.id())) {
                        return Err(damaged(path, "a dictionary changes on the way"));
                    }
                    dictionaries.push(block);
                }
                _ => batches.push(block),
            }
            let next = at.checked_add(PREFIX + length).and_then(|end| end.checked_add(body));
            at = next.filter(|&next| next <= bytes.len()).ok_or_else(cut)?;
        }
        let schema = schema.ok_or_else(|| damaged(path, "there is no schema"))?;
        Self { bytes, schema: Arc::new(schema), version, dictionaries, batches, rows: 0 }
            .counted(path)
    }

    /// With the rows that its batches promise.
    fn counted(mut self, path: &Path) -> Result<Self, DataError> {
        for block in &self.batches {
            self.rows = self.rows.saturating_add(self.promised(path, block)?.rows);
        }
        Ok(self)
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn visit(
        self,
        memory: &mut Memory<'_>,
        columns: &[usize],
        show: Show<'_>,
    ) -> Result<(), DataError> {
        let path = memory.path;
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        for block in &self.dictionaries {
            // Those of all batches stay.
            memory.take("a dictionary", self.promised(path, block)?.bytes)?;
            let bytes = self.block(path, block)?;
            guarded(path, || decoder.read_dictionary(block, &bytes))?;
        }
        let decoder = decoder.with_projection(columns.to_vec());
        for block in &self.batches {
            let promised = self.promised(path, block)?;
            memory.take("a batch of rows", promised.bytes)?;
            let bytes = self.block(path, block)?;
            if let Some(batch) = guarded(path, || decoder.read_record_batch(block, &bytes))? {
                if batch.num_rows() != promised.rows {
                    return Err(damaged(path, "a batch has other rows than it says"));
                }
                show(memory, &batch)?;
            }
            memory.give_back(promised.bytes);
        }
        Ok(())
    }

    /// The bytes of a message and what belongs to it.
    fn block(&self, path: &Path, block: &Block) -> Result<Buffer, DataError> {
        let outside = || damaged(path, "a block lies outside the file");
        let place = |number: i64| usize::try_from(number).map_err(|_| outside());
        let (begin, body) = (place(block.offset())?, place(block.bodyLength())?);
        let head = place(block.metaDataLength().into())?;
        let length = head.checked_add(body).ok_or_else(outside)?;
        let end = begin.checked_add(length).filter(|&end| end <= self.bytes.len());
        // A message has at least its length before it.
        end.filter(|_| head >= 8).ok_or_else(outside)?;
        Ok(self.bytes.slice_with_length(begin, length))
    }

    /// What a block says it holds: nothing is unpacked for it.
    fn promised(&self, path: &Path, block: &Block) -> Result<Promised, DataError> {
        let bytes = self.block(path, block)?;
        let head = usize::try_from(block.metaDataLength()).unwrap_or_default();
        let (message, body) = bytes.split_at(head);
        let message = message.strip_prefix(&[0xff; 4]).unwrap_or(message);
        let message = message.get(4..).unwrap_or_default();
        let message = root_as_message(message).map_err(|error| damaged(path, error))?;
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            _ => None,
        };
        let batch = batch.ok_or_else(|| damaged(path, "a message is not the one expected"))?;
        let rows = usize::try_from(batch.length())
            .map_err(|_| damaged(path, "a batch has a negative number of rows"))?;
        // What is not packed is used where it lies, or copied to be aligned.
        let packed = batch.compression().is_some();
        let mut bytes = body.len() as u64;
        for buffer in batch.buffers().iter().flatten() {
            let stored = stored(path, body, buffer)?;
            if packed {
                bytes = bytes.saturating_add(unpacked_length(path, stored)?);
            }
        }
        Ok(Promised { rows, bytes })
    }
}

struct Promised {
    rows: usize,
    bytes: u64,
}

/// The bytes of a buffer: the decoder does not check where those of no length begin.
fn stored<'b>(
    path: &Path,
    body: &'b [u8],
    buffer: &arrow_ipc::Buffer,
) -> Result<&'b [u8], DataError> {
    let outside = || damaged(path, "a buffer lies outside its block");
    let begin = usize::try_from(buffer.offset()).map_err(|_| outside())?;
    let length = usize::try_from(buffer.length()).map_err(|_| outside())?;
    let end = begin.checked_add(length).ok_or_else(outside)?;
    body.get(begin..end).ok_or_else(outside)
}

/// How many bytes a packed buffer becomes: they stand before it.
fn unpacked_length(path: &Path, stored: &[u8]) -> Result<u64, DataError> {
    if stored.is_empty() {
        return Ok(0);
    }
    let first =
        stored.first_chunk().ok_or_else(|| damaged(path, "a packed buffer is cut short"))?;
    match i64::from_le_bytes(*first) {
        NOT_PACKED => Ok(0),
        length => u64::try_from(length).map_err(|_| damaged(path, "a buffer of negative length")),
    }
}
