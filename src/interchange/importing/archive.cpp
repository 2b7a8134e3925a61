#include "interchange/importing/archive.hpp"

#include <cstdlib>
#include <utility>

#include "interchange/importing/events.hpp"

namespace leadline::interchange::importing {

namespace {

constexpr size_t longest_text = 4096;  // of a name
constexpr int most_steps = 64;         // towards the root of a tree, which may be cyclic in a damaged archive

Definitions& of(void* data) { return *static_cast<Definitions*>(data); }
constexpr int success = 0;
constexpr uint8_t comm_locations = 4;

int clock(void* d, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t epoch_ns) {
  of(d).resolution = resolution;
  of(d).offset = offset;
  of(d).length = length;
  of(d).epoch_ns = epoch_ns;
  return success;
}
int string(void* d, uint32_t self, const char* text) {
  of(d).strings[self] = std::string(text).substr(0, longest_text);
  return success;
}
int node(void* d, uint32_t self, uint32_t name, uint32_t kind, uint32_t parent) {
  of(d).nodes[self] = {name, kind, parent};
  return success;
}
int location_group(void* d, uint32_t self, uint32_t name, uint8_t, uint32_t node, uint32_t) {
  of(d).location_groups[self] = {name, node};
  return success;
}
int location(void* d, uint64_t self, uint32_t name, uint8_t type, uint64_t events, uint32_t group) {
  of(d).locations.push_back({self, name, group, type, events});
  return success;
}
int region(void* d, uint32_t self, uint32_t name, uint32_t full, uint32_t, uint8_t role, uint8_t paradigm, uint32_t,
           uint32_t file, uint32_t line, uint32_t) {
  of(d).regions[self] = {name, full, file, line, role, paradigm};
  return success;
}
int group(void* d, uint32_t self, uint32_t, uint8_t type, uint8_t paradigm, uint32_t, uint32_t n,
          const uint64_t* members) {
  Definitions::Group made{type, paradigm, std::vector<uint64_t>(members, members + n)};
  if (type == comm_locations) {
    of(d).location_lists.push_back(std::move(made));
  } else {
    of(d).groups[self] = std::move(made);
  }
  return success;
}
int comm(void* d, uint32_t self, uint32_t name, uint32_t group, uint32_t parent, uint32_t) {
  of(d).comms[self] = {name, group, otf2::undefined, parent};
  return success;
}
int inter_comm(void* d, uint32_t self, uint32_t name, uint32_t one, uint32_t other, uint32_t parent, uint32_t) {
  of(d).comms[self] = {name, one, other, parent};
  return success;
}
int window(void* d, uint32_t self, uint32_t, uint32_t comm, uint32_t) {
  of(d).windows[self] = comm;
  return success;
}
int parameter(void* d, uint32_t self, uint32_t name, uint8_t) {
  of(d).parameters[self] = name;
  return success;
}
int source_line(void* d, uint32_t self, uint32_t file, uint32_t line) {
  of(d).source_lines[self] = {file, line};
  return success;
}
int context(void* d, uint32_t self, uint32_t region, uint32_t line, uint32_t parent) {
  of(d).contexts[self] = {region, line, parent};
  return success;
}
int attribute(void* d, uint32_t self, uint32_t name, uint32_t, uint8_t type) {
  if (type == otf2::type_calling_context) of(d).context_attributes[self] = name;
  if (type == otf2::type_io_handle) of(d).file_attributes[self] = name;
  return success;
}
int file(void* d, uint32_t self, uint32_t name, uint32_t) {
  of(d).files[self] = name;
  return success;
}
int io_paradigm(void* d, uint8_t self, uint32_t identification, uint32_t, uint8_t, uint32_t, uint8_t, const void*,
                const void*, const void*) {
  of(d).io_paradigms[self] = identification;
  return success;
}
int io_handle(void* d, uint32_t self, uint32_t name, uint32_t file, uint8_t paradigm, uint32_t, uint32_t comm,
              uint32_t) {
  of(d).io_handles[self] = {name, file, comm, paradigm};
  return success;
}

}  // namespace

std::string Definitions::text(uint32_t string) const {
  const auto at = strings.find(string);
  return at == strings.end() ? "" : at->second;
}

uint32_t Definitions::attribute(const std::unordered_map<uint32_t, uint32_t>& of_type, const char* name) const {
  for (const auto& [number, its_name] : of_type) {
    if (text(its_name) == name) return number;
  }
  return otf2::undefined;
}

std::string Definitions::host_of(const LocationGroup& group) const {
  std::string nearest;
  uint32_t at = group.node;
  for (int i = 0; i < most_steps; ++i) {
    const auto found = nodes.find(at);
    if (found == nodes.end()) break;
    const std::string name = text(found->second.name), kind = text(found->second.kind);
    if (kind == "node" || kind == "host") return name;
    if (nearest.empty()) nearest = name;
    at = found->second.parent;
  }
  return nearest;
}

Archive::~Archive() {
  if (reader_) otf2_.Reader_Close(reader_);
}

std::string Archive::wrong(int error) const {
  const char* text = error ? otf2_.Error_GetDescription(error) : nullptr;
  return text ? text : "the OTF2 library reported no reason";
}

std::string Archive::open(const std::string& anchor) {
  reader_ = otf2_.Reader_Open(anchor.c_str());
  if (!reader_) return "not an anchor file (*.otf2), or its other files are missing";
  if (const int error = otf2_.Reader_SetSerialCollectiveCallbacks(reader_)) return wrong(error);
  char* creator = nullptr;
  if (!otf2_.Reader_GetCreator(reader_, &creator) && creator) creator_ = creator;
  std::free(creator);
  otf2::GlobalDefReader* definitions = otf2_.Reader_GetGlobalDefReader(reader_);
  otf2::GlobalDefReaderCallbacks* calls = otf2_.GlobalDefReaderCallbacks_New();
  if (!definitions || !calls) return "cannot open the global definitions";
  otf2_.GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, otf2::callback(clock));
  otf2_.GlobalDefReaderCallbacks_SetStringCallback(calls, otf2::callback(string));
  otf2_.GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(calls, otf2::callback(node));
  otf2_.GlobalDefReaderCallbacks_SetLocationGroupCallback(calls, otf2::callback(location_group));
  otf2_.GlobalDefReaderCallbacks_SetLocationCallback(calls, otf2::callback(location));
  otf2_.GlobalDefReaderCallbacks_SetRegionCallback(calls, otf2::callback(region));
  otf2_.GlobalDefReaderCallbacks_SetGroupCallback(calls, otf2::callback(group));
  otf2_.GlobalDefReaderCallbacks_SetCommCallback(calls, otf2::callback(comm));
  otf2_.GlobalDefReaderCallbacks_SetRmaWinCallback(calls, otf2::callback(window));
  otf2_.GlobalDefReaderCallbacks_SetParameterCallback(calls, otf2::callback(parameter));
  otf2_.GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(calls, otf2::callback(source_line));
  otf2_.GlobalDefReaderCallbacks_SetCallingContextCallback(calls, otf2::callback(context));
  otf2_.GlobalDefReaderCallbacks_SetAttributeCallback(calls, otf2::callback(attribute));
  otf2_.GlobalDefReaderCallbacks_SetIoParadigmCallback(calls, otf2::callback(io_paradigm));
  otf2_.GlobalDefReaderCallbacks_SetIoRegularFileCallback(calls, otf2::callback(file));
  otf2_.GlobalDefReaderCallbacks_SetIoHandleCallback(calls, otf2::callback(io_handle));
  if (otf2_.GlobalDefReaderCallbacks_SetInterCommCallback) {
    otf2_.GlobalDefReaderCallbacks_SetInterCommCallback(calls, otf2::callback(inter_comm));
  }
  int error = otf2_.Reader_RegisterGlobalDefCallbacks(reader_, definitions, calls, &definitions_);
  otf2_.GlobalDefReaderCallbacks_Delete(calls);
  uint64_t read = 0, wanted = 0;
  if (!error) error = otf2_.Reader_ReadAllGlobalDefinitions(reader_, definitions, &read);
  if (error) return "cannot read the global definitions: " + wrong(error);
  otf2_.Reader_GetNumberOfGlobalDefinitions(reader_, &wanted);
  if (read < wanted) return "truncated global definitions";
  otf2_.Reader_CloseGlobalDefReader(reader_, definitions);
  return "";
}

// Local definitions map the numbers in events to global ones and describe the location's clock. They may be missing.
std::string Archive::select(const std::vector<uint64_t>& locations) {
  for (const uint64_t location : locations) {
    if (const int error = otf2_.Reader_SelectLocation(reader_, location)) return wrong(error);
  }
  if (otf2_.Reader_OpenDefFiles(reader_) == success) {
    for (const uint64_t location : locations) {
      otf2::DefReader* definitions = otf2_.Reader_GetDefReader(reader_, location);
      if (!definitions) continue;
      uint64_t read = 0;
      const int error = otf2_.Reader_ReadAllLocalDefinitions(reader_, definitions, &read);
      otf2_.Reader_CloseDefReader(reader_, definitions);
      if (error) return "cannot read the definitions of location " + std::to_string(location) + ": " + wrong(error);
    }
    otf2_.Reader_CloseDefFiles(reader_);
  }
  const int error = otf2_.Reader_OpenEvtFiles(reader_);
  return error ? "cannot open the events: " + wrong(error) : "";
}

std::string Archive::read(uint64_t location, LocationEvents* events, uint64_t* records) {
  *records = 0;
  otf2::EvtReader* reader = otf2_.Reader_GetEvtReader(reader_, location);
  if (!reader) return "cannot open its events";
  otf2::EvtReaderCallbacks* calls = event_callbacks(otf2_);
  if (!calls) return "out of memory";
  events->library = &otf2_;
  events->call_path = definitions_.call_path();
  events->on_file = definitions_.on_file();
  otf2_.EvtReader_ApplyMappingTables(reader, true);
  otf2_.EvtReader_ApplyClockOffsets(reader, true);
  int error = otf2_.Reader_RegisterEvtCallbacks(reader_, reader, calls, events);
  otf2_.EvtReaderCallbacks_Delete(calls);
  constexpr uint64_t at_once = 1 << 16;
  for (uint64_t read = at_once; !error && read == at_once;) {
    read = 0;
    error = otf2_.Reader_ReadLocalEvents(reader_, reader, at_once, &read);
    if (read > events_left_) {
      otf2_.Reader_CloseEvtReader(reader_, reader);
      return "more events announced than its files can contain";
    }
    events_left_ -= read;
    *records += read;
  }
  otf2_.Reader_CloseEvtReader(reader_, reader);
  return error ? wrong(error) : "";
}

}  // namespace leadline::interchange::importing
