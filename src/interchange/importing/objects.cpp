#include "interchange/importing/objects.hpp"

#include <algorithm>

#include "trace/hash.hpp"
#include "trace/process.hpp"

namespace leadline::interchange::importing {

using ObjectKind = trace::Communicator::Kind;

namespace {

// The same on all ranks, never 0, and another one for each kind.
uint64_t identity_of(ObjectKind kind, uint32_t number) {
  return trace::mix(trace::mix(0x0bf2, static_cast<uint64_t>(kind)), number) | 1;
}

int32_t place_of(const std::vector<int32_t>& ranks, int32_t rank) {
  const auto at = std::find(ranks.begin(), ranks.end(), rank);
  return at == ranks.end() ? -1 : static_cast<int32_t>(at - ranks.begin());
}

}  // namespace

Objects::Communicator Objects::communicator(uint32_t comm) {
  const auto [known, fresh] = communicators_.try_emplace(comm);
  Communicator& c = known->second;
  const ArchiveMap::Members* members = fresh ? map_.members(comm) : nullptr;
  if (!members) return c;
  std::vector<int32_t> partners = members->ranks;
  if (members->self) {
    c.rank = 0;
    partners = {rank_};
  } else {
    c.rank = place_of(members->ranks, rank_);
    if (members->inter) {
      if (c.rank < 0) {
        c.rank = place_of(members->other, rank_);
      } else {
        partners = members->other;
      }
    }
  }
  if (c.rank < 0 || partners.empty()) return c;
  c.size = static_cast<int32_t>(partners.size());
  recording::LiveCommunicator made{};
  const ObjectKind kind = members->inter ? ObjectKind::inter : ObjectKind::intra;
  made.kind = static_cast<uint8_t>(kind);
  made.parent = UINT32_MAX;  // itself
  // Each rank has a communicator of itself alone.
  made.identity = members->self ? trace::mix(0x5e1f, static_cast<uint64_t>(rank_)) | 1 : identity_of(kind, comm);
  made.rank = c.rank;
  made.size = c.size;
  c.number = process_.communicator(made, partners);
  return c;
}

Objects::Communicator Objects::window(uint32_t window) {
  const auto [known, fresh] = windows_.try_emplace(window);
  Communicator& c = known->second;
  const auto& windows = map_.definitions().windows;
  const auto at = fresh ? windows.find(window) : windows.end();
  if (at == windows.end()) return c;
  const Communicator over = communicator(at->second);
  if (!over.number) return c;
  c = over;
  recording::LiveCommunicator made{};
  made.kind = static_cast<uint8_t>(ObjectKind::window);
  made.parent = over.number;
  made.identity = identity_of(ObjectKind::window, window);
  made.rank = over.rank;
  made.size = over.size;
  c.number = process_.communicator(made, {});
  return c;
}

Objects::Communicator Objects::communicator_of(uint32_t handle) {
  const auto at = map_.definitions().io_handles.find(handle);
  const bool known = at != map_.definitions().io_handles.end() && at->second.comm != otf2::undefined;
  return known ? communicator(at->second.comm) : Communicator{};
}

std::string Objects::paradigm(uint32_t handle) const {
  const Definitions& definitions = map_.definitions();
  const auto at = definitions.io_handles.find(handle);
  if (at == definitions.io_handles.end()) return "";
  const auto found = definitions.io_paradigms.find(at->second.paradigm);
  return found == definitions.io_paradigms.end() ? "" : definitions.text(found->second);
}

Objects::File Objects::file(uint32_t handle, bool by_mpi) {
  const auto [known, fresh] = files_.try_emplace(handle);
  File& f = known->second;
  if (!fresh) return f;
  const Definitions& definitions = map_.definitions();
  const auto at = definitions.io_handles.find(handle);
  if (at == definitions.io_handles.end()) return f;
  const auto file = definitions.files.find(at->second.file);
  std::string name = file == definitions.files.end() ? "" : definitions.text(file->second);
  if (name.empty() && !map_.ours()) name = definitions.text(at->second.name);
  if (!name.empty()) f.file = process_.file(name, by_mpi);
  if (!by_mpi) return f;
  const Communicator over = communicator_of(handle);
  recording::LiveCommunicator made{};
  made.kind = static_cast<uint8_t>(ObjectKind::file);
  made.parent = over.number;
  made.identity = over.number ? identity_of(ObjectKind::file, handle) : 0;
  made.rank = over.rank;
  made.size = over.size;
  f.number = process_.communicator(made, {});
  return f;
}

}  // namespace leadline::interchange::importing
