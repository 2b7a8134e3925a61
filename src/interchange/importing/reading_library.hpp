// What import calls of OTF2's C library, found as for export (interchange/otf2_library.hpp). Callbacks are set as
// functions without a type; archive.cpp and events.cpp declare them as OTF2 3 calls them.
#pragma once

#include <cstdint>

#include "interchange/otf2_library.hpp"

namespace leadline::interchange::otf2 {

struct Reader;
struct EvtReader;
struct DefReader;
struct GlobalDefReader;
struct EvtReaderCallbacks;
struct GlobalDefReaderCallbacks;
using Callback = void (*)();
template <class Function>
Callback callback(Function function) {
  return reinterpret_cast<Callback>(function);
}

// Error codes are 0 for success.
// clang-format off
#define LEADLINE_OTF2_READING(X)                                                                                       \
  X(Reader*, Reader_Open, (const char*))                                                                               \
  X(int, Reader_Close, (Reader*))                                                                                      \
  X(int, Reader_SetSerialCollectiveCallbacks, (Reader*))                                                               \
  X(int, Reader_GetCreator, (Reader*, char**))                                                                         \
  X(int, Reader_GetNumberOfGlobalDefinitions, (Reader*, uint64_t*))                                                    \
  X(int, Reader_SelectLocation, (Reader*, uint64_t))                                                                   \
  X(int, AttributeList_GetCallingContextRef, (AttributeList*, uint32_t, uint32_t*))                                    \
  X(int, AttributeList_GetIoHandleRef, (AttributeList*, uint32_t, uint32_t*))                                          \
  X(int, GlobalDefReaderCallbacks_SetAttributeCallback, (GlobalDefReaderCallbacks*, Callback))                         \
  X(int, Reader_OpenDefFiles, (Reader*))                                                                               \
  X(int, Reader_CloseDefFiles, (Reader*))                                                                              \
  X(int, Reader_OpenEvtFiles, (Reader*))                                                                               \
  X(int, Reader_CloseEvtFiles, (Reader*))                                                                              \
  X(GlobalDefReader*, Reader_GetGlobalDefReader, (Reader*))                                                            \
  X(int, Reader_RegisterGlobalDefCallbacks, (Reader*, GlobalDefReader*, const GlobalDefReaderCallbacks*, void*))       \
  X(int, Reader_ReadAllGlobalDefinitions, (Reader*, GlobalDefReader*, uint64_t*))                                      \
  X(int, Reader_CloseGlobalDefReader, (Reader*, GlobalDefReader*))                                                     \
  X(DefReader*, Reader_GetDefReader, (Reader*, uint64_t))                                                              \
  X(int, Reader_ReadAllLocalDefinitions, (Reader*, DefReader*, uint64_t*))                                             \
  X(int, Reader_CloseDefReader, (Reader*, DefReader*))                                                                 \
  X(EvtReader*, Reader_GetEvtReader, (Reader*, uint64_t))                                                              \
  X(int, Reader_RegisterEvtCallbacks, (Reader*, EvtReader*, const EvtReaderCallbacks*, void*))                         \
  X(int, Reader_ReadLocalEvents, (Reader*, EvtReader*, uint64_t, uint64_t*))                                           \
  X(int, Reader_CloseEvtReader, (Reader*, EvtReader*))                                                                 \
  X(int, EvtReader_ApplyMappingTables, (EvtReader*, bool))                                                             \
  X(int, EvtReader_ApplyClockOffsets, (EvtReader*, bool))                                                              \
  X(const char*, Error_GetDescription, (int))                                                                          \
  X(GlobalDefReaderCallbacks*, GlobalDefReaderCallbacks_New, ())                                                       \
  X(void, GlobalDefReaderCallbacks_Delete, (GlobalDefReaderCallbacks*))                                                \
  X(int, GlobalDefReaderCallbacks_SetClockPropertiesCallback, (GlobalDefReaderCallbacks*, Callback))                   \
  X(int, GlobalDefReaderCallbacks_SetStringCallback, (GlobalDefReaderCallbacks*, Callback))                            \
  X(int, GlobalDefReaderCallbacks_SetSystemTreeNodeCallback, (GlobalDefReaderCallbacks*, Callback))                    \
  X(int, GlobalDefReaderCallbacks_SetLocationGroupCallback, (GlobalDefReaderCallbacks*, Callback))                     \
  X(int, GlobalDefReaderCallbacks_SetLocationCallback, (GlobalDefReaderCallbacks*, Callback))                          \
  X(int, GlobalDefReaderCallbacks_SetRegionCallback, (GlobalDefReaderCallbacks*, Callback))                            \
  X(int, GlobalDefReaderCallbacks_SetGroupCallback, (GlobalDefReaderCallbacks*, Callback))                             \
  X(int, GlobalDefReaderCallbacks_SetCommCallback, (GlobalDefReaderCallbacks*, Callback))                              \
  X(int, GlobalDefReaderCallbacks_SetParameterCallback, (GlobalDefReaderCallbacks*, Callback))                         \
  X(int, GlobalDefReaderCallbacks_SetRmaWinCallback, (GlobalDefReaderCallbacks*, Callback))                            \
  X(int, GlobalDefReaderCallbacks_SetSourceCodeLocationCallback, (GlobalDefReaderCallbacks*, Callback))                \
  X(int, GlobalDefReaderCallbacks_SetCallingContextCallback, (GlobalDefReaderCallbacks*, Callback))                    \
  X(int, GlobalDefReaderCallbacks_SetIoParadigmCallback, (GlobalDefReaderCallbacks*, Callback))                        \
  X(int, GlobalDefReaderCallbacks_SetIoRegularFileCallback, (GlobalDefReaderCallbacks*, Callback))                     \
  X(int, GlobalDefReaderCallbacks_SetIoHandleCallback, (GlobalDefReaderCallbacks*, Callback))                          \
  X(EvtReaderCallbacks*, EvtReaderCallbacks_New, ())                                                                   \
  X(void, EvtReaderCallbacks_Delete, (EvtReaderCallbacks*))                                                            \
  X(int, EvtReaderCallbacks_SetEnterCallback, (EvtReaderCallbacks*, Callback))                                         \
  X(int, EvtReaderCallbacks_SetLeaveCallback, (EvtReaderCallbacks*, Callback))                                         \
  X(int, EvtReaderCallbacks_SetCallingContextEnterCallback, (EvtReaderCallbacks*, Callback))                           \
  X(int, EvtReaderCallbacks_SetCallingContextLeaveCallback, (EvtReaderCallbacks*, Callback))                           \
  X(int, EvtReaderCallbacks_SetMpiSendCallback, (EvtReaderCallbacks*, Callback))                                       \
  X(int, EvtReaderCallbacks_SetMpiIsendCallback, (EvtReaderCallbacks*, Callback))                                      \
  X(int, EvtReaderCallbacks_SetMpiIsendCompleteCallback, (EvtReaderCallbacks*, Callback))                              \
  X(int, EvtReaderCallbacks_SetMpiIrecvRequestCallback, (EvtReaderCallbacks*, Callback))                               \
  X(int, EvtReaderCallbacks_SetMpiRecvCallback, (EvtReaderCallbacks*, Callback))                                       \
  X(int, EvtReaderCallbacks_SetMpiIrecvCallback, (EvtReaderCallbacks*, Callback))                                      \
  X(int, EvtReaderCallbacks_SetMpiRequestTestCallback, (EvtReaderCallbacks*, Callback))                                \
  X(int, EvtReaderCallbacks_SetMpiRequestCancelledCallback, (EvtReaderCallbacks*, Callback))                           \
  X(int, EvtReaderCallbacks_SetMpiCollectiveBeginCallback, (EvtReaderCallbacks*, Callback))                            \
  X(int, EvtReaderCallbacks_SetMpiCollectiveEndCallback, (EvtReaderCallbacks*, Callback))                              \
  X(int, EvtReaderCallbacks_SetParameterUnsignedIntCallback, (EvtReaderCallbacks*, Callback))                          \
  X(int, EvtReaderCallbacks_SetRmaWinCreateCallback, (EvtReaderCallbacks*, Callback))                                  \
  X(int, EvtReaderCallbacks_SetRmaWinDestroyCallback, (EvtReaderCallbacks*, Callback))                                 \
  X(int, EvtReaderCallbacks_SetRmaPutCallback, (EvtReaderCallbacks*, Callback))                                        \
  X(int, EvtReaderCallbacks_SetRmaGetCallback, (EvtReaderCallbacks*, Callback))                                        \
  X(int, EvtReaderCallbacks_SetRmaAtomicCallback, (EvtReaderCallbacks*, Callback))                                     \
  X(int, EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback, (EvtReaderCallbacks*, Callback))                         \
  X(int, EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback, (EvtReaderCallbacks*, Callback))                      \
  X(int, EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback, (EvtReaderCallbacks*, Callback))                           \
  X(int, EvtReaderCallbacks_SetIoCreateHandleCallback, (EvtReaderCallbacks*, Callback))                                \
  X(int, EvtReaderCallbacks_SetIoDestroyHandleCallback, (EvtReaderCallbacks*, Callback))                               \
  X(int, EvtReaderCallbacks_SetIoSeekCallback, (EvtReaderCallbacks*, Callback))                                        \
  X(int, EvtReaderCallbacks_SetIoOperationBeginCallback, (EvtReaderCallbacks*, Callback))                              \
  X(int, EvtReaderCallbacks_SetIoOperationIssuedCallback, (EvtReaderCallbacks*, Callback))                             \
  X(int, EvtReaderCallbacks_SetIoOperationTestCallback, (EvtReaderCallbacks*, Callback))                               \
  X(int, EvtReaderCallbacks_SetIoOperationCancelledCallback, (EvtReaderCallbacks*, Callback))                          \
  X(int, EvtReaderCallbacks_SetIoOperationCompleteCallback, (EvtReaderCallbacks*, Callback))
// Since OTF2 3.
#define LEADLINE_OTF2_READING_NEWER(X)                                                                                 \
  X(int, GlobalDefReaderCallbacks_SetInterCommCallback, (GlobalDefReaderCallbacks*, Callback))                         \
  X(int, EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback, (EvtReaderCallbacks*, Callback))                  \
  X(int, EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback, (EvtReaderCallbacks*, Callback))
// clang-format on

struct ReadingLibrary {
  LEADLINE_OTF2_LOADED(LEADLINE_OTF2_READING, LEADLINE_OTF2_READING_NEWER)
};

}  // namespace leadline::interchange::otf2
