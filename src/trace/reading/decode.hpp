// Decodes the payloads of chunks into a Process.
#pragma once

#include <memory>
#include <string>

#include "trace/bytes.hpp"
#include "trace/chunk.hpp"
#include "trace/limits.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

// Returns the error, or an empty string. Chunks of unknown types are skipped.
// payload: what `in` reads, as it is held; nullptr: it is not held anywhere, and copied where it is needed.
std::string decode_chunk(ChunkType type, ByteReader in, Process* process,
                         const std::shared_ptr<const Payload>& payload = nullptr);

// The process's thread of this number.
Stream& stream_of(Process* process, uint32_t thread);
// Decodes the payload from the number of sites on.
void decode_sites(ByteReader& in, Stream* stream);
void decode_communicators(ByteReader& in, Process* process);
void check_sites(const Process& process, Stream* stream);
std::string decode_loops(ByteReader& in, Stream* stream);
void decode_files(ByteReader& in, Process* process);
void decode_clock(ByteReader& in, Process* process);
void decode_conditions(ByteReader& in, Process* process);
void name_clock_losses(Process* process);

// Call this once all chunks are read: it checks references between tables and names the losses.
void finish_process(Process* process);

}  // namespace leadline::trace
