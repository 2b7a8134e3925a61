// Decodes the payloads of chunks into a Process.
#pragma once

#include <string>

#include "trace/bytes.hpp"
#include "trace/chunk.hpp"
#include "trace/limits.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

// What is wrong, empty if nothing is. Chunks of unknown types are passed over.
std::string decode_chunk(ChunkType type, ByteReader in, Process* process);

// The payload from the number of sites on.
void decode_sites(ByteReader& in, Stream* stream);
void check_sites(const Process& process, Stream* stream);
std::string decode_loops(ByteReader& in, Stream* stream);
void decode_files(ByteReader& in, Process* process);
void decode_clock(ByteReader& in, Process* process);
void decode_placement(ByteReader& in, Process* process);
void name_clock_losses(Process* process);

// Once all chunks are there: checks references between tables, names what was lost.
void finish_process(Process* process);

}  // namespace leadline::trace
