// OTF2's C library, loaded when an archive is wanted: neither to build nor to install Leadline needs it
// (docs/decisions/0012-otf2.md). Declared here is what is called, as OTF2 3 has it; OTF2 2 ignores the arguments that
// it lacks, which are the last ones.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace leadline::interchange::otf2 {

// Loads the first of these files that can be loaded and has what is wanted. `missing` names a function it lacks, or
// nullptr. Returns an empty message, or why none would do.
std::string load_first(const std::vector<std::string>& files, const std::function<const char*(void*)>& missing);

// Finds the functions that `wanted` declares in the first of these files that can be loaded and has all that are
// needed. Returns an empty message, or why none would do.
template <class Wanted>
std::string load(const std::vector<std::string>& files, Wanted* wanted) {
  return load_first(files, [wanted](void* library) {
    const char* missing = nullptr;
    wanted->for_each([&](const char* name, auto* function, bool needed) {
      *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library, name));
      if (!*function && needed && !missing) missing = name;
    });
    return missing;
  });
}

// The members of a struct whose functions load() finds: a pointer for each of the lists' functions, null for one of
// `newer` that the library lacks.
#define LEADLINE_OTF2_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
#define LEADLINE_OTF2_NEEDED(result, name, arguments) visit("OTF2_" #name, &name, true);
#define LEADLINE_OTF2_NEWER(result, name, arguments) visit("OTF2_" #name, &name, false);
#define LEADLINE_OTF2_LOADED(needed, newer)                                       \
  needed(LEADLINE_OTF2_MEMBER) newer(LEADLINE_OTF2_MEMBER) template <class Visit> \
  void for_each(const Visit& visit) {                                             \
    needed(LEADLINE_OTF2_NEEDED) newer(LEADLINE_OTF2_NEWER)                       \
  }

struct Archive;
struct EvtWriter;
struct DefWriter;
struct GlobalDefWriter;
struct AttributeList;

struct FlushCallbacks {
  uint8_t (*pre_flush)(void*, uint8_t file, uint64_t location, void*, bool final);
  uint64_t (*post_flush)(void*, uint8_t file, uint64_t location);
};

struct MemoryCallbacks {
  void* (*allocate)(void*, uint8_t file, uint64_t location, void** of_buffer, uint64_t bytes);
  void (*free_all)(void*, uint8_t file, uint64_t location, void** of_buffer, bool final);
};

inline constexpr uint32_t undefined = UINT32_MAX;
inline constexpr uint64_t undefined_bytes = UINT64_MAX;  // and any other number of 64 bits
inline constexpr uint8_t mode_write = 0, substrate_posix = 1, compression_none = 1, flush = 1;
inline constexpr uint8_t process_group = 1, cpu_thread = 1;
inline constexpr uint8_t paradigm_unknown = 0, paradigm_compiler = 2, paradigm_mpi = 4, role_function = 1;
inline constexpr uint8_t parameter_unsigned = 2, atomic_accumulate = 0;
inline constexpr uint32_t polls_parameter = 0;        // how many polls are one region, to a power of two
inline constexpr uint32_t window_made_and_freed = 1;  // flag: there are events of both
// Attributes of calls: the calling context they were made in, and the file of one that neither opens, moves, seeks nor
// closes.
inline constexpr uint8_t type_calling_context = 21, type_io_handle = 24;
inline constexpr uint32_t call_path = 0, on_file = 1;
inline constexpr const char* call_path_name = "call path";
inline constexpr const char* on_file_name = "on file";
// Identifications of I/O paradigms, as OTF2's documentation has them.
inline constexpr const char *posix_io = "POSIX", *iso_c_io = "ISOC", *mpi_io = "MPI-IO";
inline constexpr const char* unknown_file = "(unknown file)";
inline constexpr uint8_t comm_locations = 4, comm_group = 5;

// Error codes are 0 for success.
// clang-format off
#define LEADLINE_OTF2_FUNCTIONS(X)                                                                                     \
  X(Archive*, Archive_Open, (const char*, const char*, uint8_t, uint64_t, uint64_t, uint8_t, uint8_t))                 \
  X(int, Archive_Close, (Archive*))                                                                                    \
  X(int, Archive_SetFlushCallbacks, (Archive*, const FlushCallbacks*, void*))                                          \
  X(int, Archive_SetMemoryCallbacks, (Archive*, const MemoryCallbacks*, void*))                                        \
  X(int, Archive_SetSerialCollectiveCallbacks, (Archive*))                                                             \
  X(int, Archive_SetCreator, (Archive*, const char*))                                                                  \
  X(int, Archive_OpenEvtFiles, (Archive*))                                                                             \
  X(int, Archive_CloseEvtFiles, (Archive*))                                                                            \
  X(int, Archive_OpenDefFiles, (Archive*))                                                                             \
  X(int, Archive_CloseDefFiles, (Archive*))                                                                            \
  X(EvtWriter*, Archive_GetEvtWriter, (Archive*, uint64_t))                                                            \
  X(int, Archive_CloseEvtWriter, (Archive*, EvtWriter*))                                                               \
  X(DefWriter*, Archive_GetDefWriter, (Archive*, uint64_t))                                                            \
  X(int, Archive_CloseDefWriter, (Archive*, DefWriter*))                                                               \
  X(GlobalDefWriter*, Archive_GetGlobalDefWriter, (Archive*))                                                          \
  X(const char*, Error_GetDescription, (int))                                                                          \
  X(AttributeList*, AttributeList_New, ())                                                                             \
  X(int, AttributeList_Delete, (AttributeList*))                                                                       \
  X(int, AttributeList_AddCallingContextRef, (AttributeList*, uint32_t, uint32_t))                                     \
  X(int, AttributeList_AddIoHandleRef, (AttributeList*, uint32_t, uint32_t))                                           \
  X(int, GlobalDefWriter_WriteAttribute, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint8_t))                    \
  X(int, GlobalDefWriter_WriteSourceCodeLocation, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t))                    \
  X(int, GlobalDefWriter_WriteCallingContext, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint32_t))              \
  X(int, EvtWriter_GetNumberOfEvents, (EvtWriter*, uint64_t*))                                                         \
  X(int, EvtWriter_Enter, (EvtWriter*, AttributeList*, uint64_t, uint32_t))                                            \
  X(int, EvtWriter_Leave, (EvtWriter*, AttributeList*, uint64_t, uint32_t))                                            \
  X(int, EvtWriter_MpiSend, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t))            \
  X(int, EvtWriter_MpiRecv, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t))            \
  X(int, EvtWriter_MpiIsend, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t)) \
  X(int, EvtWriter_MpiIrecv, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t)) \
  X(int, EvtWriter_MpiIsendComplete, (EvtWriter*, AttributeList*, uint64_t, uint64_t))                                 \
  X(int, EvtWriter_MpiIrecvRequest, (EvtWriter*, AttributeList*, uint64_t, uint64_t))                                  \
  X(int, EvtWriter_MpiRequestCancelled, (EvtWriter*, AttributeList*, uint64_t, uint64_t))                              \
  X(int, EvtWriter_MpiCollectiveBegin, (EvtWriter*, AttributeList*, uint64_t))                                         \
  X(int, EvtWriter_MpiCollectiveEnd,                                                                                   \
    (EvtWriter*, AttributeList*, uint64_t, uint8_t, uint32_t, uint32_t, uint64_t, uint64_t))                           \
  X(int, EvtWriter_ParameterUnsignedInt, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint64_t))                   \
  X(int, EvtWriter_RmaPut, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint64_t, uint64_t))             \
  X(int, EvtWriter_RmaGet, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint64_t, uint64_t))             \
  X(int, EvtWriter_RmaAtomic,                                                                                          \
    (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint32_t, uint8_t, uint64_t, uint64_t, uint64_t))                 \
  X(int, EvtWriter_RmaWinCreate, (EvtWriter*, AttributeList*, uint64_t, uint32_t))                                     \
  X(int, EvtWriter_RmaWinDestroy, (EvtWriter*, AttributeList*, uint64_t, uint32_t))                                    \
  X(int, EvtWriter_RmaOpCompleteNonBlocking, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint64_t))               \
  X(int, EvtWriter_RmaOpCompleteRemote, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint64_t))                    \
  X(int, EvtWriter_IoCreateHandle, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint8_t, uint32_t, uint32_t))      \
  X(int, EvtWriter_IoDestroyHandle, (EvtWriter*, AttributeList*, uint64_t, uint32_t))                                  \
  X(int, EvtWriter_IoSeek, (EvtWriter*, AttributeList*, uint64_t, uint32_t, int64_t, uint8_t, uint64_t))               \
  X(int, EvtWriter_IoOperationBegin,                                                                                   \
    (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint8_t, uint32_t, uint64_t, uint64_t))                           \
  X(int, EvtWriter_IoOperationIssued, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint64_t))                      \
  X(int, EvtWriter_IoOperationComplete, (EvtWriter*, AttributeList*, uint64_t, uint32_t, uint64_t, uint64_t))          \
  X(int, GlobalDefWriter_WriteIoParadigm,                                                                              \
    (GlobalDefWriter*, uint8_t, uint32_t, uint32_t, uint8_t, uint32_t, uint8_t, const uint8_t*, const uint8_t*,        \
     const void*))                                                                                                     \
  X(int, GlobalDefWriter_WriteIoRegularFile, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t))                         \
  X(int, GlobalDefWriter_WriteIoHandle,                                                                                \
    (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint8_t, uint32_t, uint32_t, uint32_t))                           \
  X(int, GlobalDefWriter_WriteIoPreCreatedHandleState, (GlobalDefWriter*, uint32_t, uint8_t, uint32_t))                \
  X(int, GlobalDefWriter_WriteParameter, (GlobalDefWriter*, uint32_t, uint32_t, uint8_t))                              \
  X(int, GlobalDefWriter_WriteRmaWin, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint32_t))                      \
  X(int, GlobalDefWriter_WriteClockProperties, (GlobalDefWriter*, uint64_t, uint64_t, uint64_t, uint64_t))             \
  X(int, GlobalDefWriter_WriteString, (GlobalDefWriter*, uint32_t, const char*))                                       \
  X(int, GlobalDefWriter_WriteSystemTreeNode, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint32_t))              \
  X(int, GlobalDefWriter_WriteLocationGroup, (GlobalDefWriter*, uint32_t, uint32_t, uint8_t, uint32_t, uint32_t))      \
  X(int, GlobalDefWriter_WriteLocation, (GlobalDefWriter*, uint64_t, uint32_t, uint8_t, uint64_t, uint32_t))           \
  X(int, GlobalDefWriter_WriteRegion,                                                                                  \
    (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint32_t, uint8_t, uint8_t, uint32_t, uint32_t, uint32_t,         \
     uint32_t))                                                                                                        \
  X(int, GlobalDefWriter_WriteGroup,                                                                                   \
    (GlobalDefWriter*, uint32_t, uint32_t, uint8_t, uint8_t, uint32_t, uint32_t, const uint64_t*))                     \
  X(int, GlobalDefWriter_WriteComm, (GlobalDefWriter*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t))
// Since OTF2 3.
#define LEADLINE_OTF2_NEWER_FUNCTIONS(X)                                                                               \
  X(int, EvtWriter_NonBlockingCollectiveRequest, (EvtWriter*, AttributeList*, uint64_t, uint64_t))                     \
  X(int, EvtWriter_NonBlockingCollectiveComplete,                                                                      \
    (EvtWriter*, AttributeList*, uint64_t, uint8_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t))
// clang-format on

struct Library {
  LEADLINE_OTF2_LOADED(LEADLINE_OTF2_FUNCTIONS, LEADLINE_OTF2_NEWER_FUNCTIONS)
};

}  // namespace leadline::interchange::otf2
