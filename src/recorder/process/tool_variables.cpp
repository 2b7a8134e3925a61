#include "recorder/process/tool_variables.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "host/begins.hpp"
#include "host/symbol_lookup.hpp"
#include "recorder/clocks/clock.hpp"
#include "recorder/job/masking.hpp"
#include "recorder/library/functions.hpp"

namespace leadline::recorder {

constinit ToolInterface tool_interface;

namespace {

constexpr int32_t most_examined = 4096;
constexpr uint32_t most_kept = 256;
constexpr uint64_t most_ns = 50'000'000;
constexpr int32_t most_elements = 512;  // of one variable: some have one per rank

// The library's description of itself; "" if there is none.
const char* library_version() {
  static char text[16384];
  int32_t length = 0;
  const bool told = has_real(Fn::Get_library_version) && call_real(Fn::Get_library_version, text, &length) == 0;
  return told ? text : "";
}

// Whether starting the tools interface costs next to nothing. Open MPI before version 5 loads every component it has
// for that: a quarter of a second was measured.
bool is_cheap() {
  if (strcmp(abi.family->name, "openmpi") != 0) return true;
  const char* version = strstr(library_version(), "Open MPI v");
  return version && strtol(version + strlen("Open MPI v"), nullptr, 10) >= 5;
}

// Whether the interface may be started although the program has ended it: MPICH before 4.2 has freed its variables by
// then, but still reads them. Libraries derived from it do not say from which version.
bool can_be_started_again() {
  if (strcmp(abi.family->name, "openmpi") == 0) return true;
  constexpr const char* before = "MPICH Version:";
  const char* version = strstr(library_version(), before);
  if (!version) return false;
  char* rest = nullptr;
  const long major = strtol(version + strlen(before), &rest, 10);
  return major > 4 || (major == 4 && *rest == '.' && strtol(rest + 1, nullptr, 10) >= 2);
}

bool is_wanted() {
  const char* text = getenv("LEADLINE_VARIABLES");
  return text && *text ? strcmp(text, "0") != 0 : is_cheap();
}

// How the library numbers classes of variables and what they are bound to.
struct Numbers {
  int32_t first_class, unbound, of_communicator;
};
Numbers numbers() {
  if (strcmp(abi.family->name, "openmpi") == 0) return {0, 0, 1};
  if (strcmp(abi.family->name, "mpi5") == 0) return {1, 1, 2};
  return {240, 9700, 9701};
}

// Unused components of Open MPI read invalid memory: those of psm2 end the program. So only these are safe.
bool is_safe(const char* name, bool of_communicator) {
  if (strcmp(abi.family->name, "openmpi") != 0) return !of_communicator;
  if (!of_communicator) return host::begins(name, "runtime_spc_") || host::begins(name, "mpool_hugepage_");
  if (!host::begins(name, "pml_ob1_")) return false;
  // The communicator's memory is ob1's only if that component is in use, whose description then names it.
  const void* const selected = host::next_dlsym()(RTLD_DEFAULT, "mca_pml_base_selected_component");
  constexpr size_t description_bytes = 160;
  return selected && memmem(selected, description_bytes, "ob1", 4) != nullptr;
}

enum class Type { none, i32, u32, i64, u64, real };

// By the name of the datatype: the handles differ between libraries.
Type type_of(uint64_t datatype) {
  char name[512] = {};
  int32_t length = 0;
  if (!has_real(Fn::Type_get_name) || call_real(Fn::Type_get_name, datatype, name, &length) != 0) return Type::none;
  constexpr struct {
    const char* name;
    Type type;
  } known[] = {{"MPI_INT", Type::i32},           {"MPI_UNSIGNED", Type::u32},
               {"MPI_UNSIGNED_LONG", Type::u64}, {"MPI_UNSIGNED_LONG_LONG", Type::u64},
               {"MPI_COUNT", Type::i64},         {"MPI_DOUBLE", Type::real}};
  for (const auto& k : known) {
    if (strcmp(name, k.name) == 0) return k.type;
  }
  return Type::none;
}

double sum_of(Type type, const char* data, int32_t n) {
  double sum = 0;
  const auto add = [&]<class T>(T value) {
    for (int32_t i = 0; i < n; ++i) {
      memcpy(&value, data + static_cast<size_t>(i) * sizeof(T), sizeof(T));
      sum += static_cast<double>(value);
    }
  };
  if (type == Type::i32) add(int32_t{});
  if (type == Type::u32) add(uint32_t{});
  if (type == Type::i64) add(int64_t{});
  if (type == Type::u64) add(uint64_t{});
  if (type == Type::real) add(double{});
  return sum;
}

class Session {
 public:
  Session() { open_ = call_real(Fn::T_pvar_session_create, &session_) == 0; }
  ~Session() {
    if (open_) call_real(Fn::T_pvar_session_free, &session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // True if the variable was read and put out.
  bool read(int32_t index, trace::ByteSink* out);
  bool is_open() const { return open_; }

 private:
  void* session_ = nullptr;
  bool open_ = false;
};

bool Session::read(int32_t index, trace::ByteSink* out) {
  char name[256] = {}, description[512] = {};
  int32_t name_length = sizeof(name), description_length = sizeof(description);
  int32_t verbosity = 0, cls = 0, bind = 0, readonly = 0, continuous = 0, atomic = 0;
  uint64_t datatype = 0;
  void* enumeration = nullptr;
  if (call_real(Fn::T_pvar_get_info, index, name, &name_length, &verbosity, &cls, &datatype, &enumeration, description,
                &description_length, &bind, &readonly, &continuous, &atomic) != 0) {
    return false;
  }
  name[sizeof(name) - 1] = description[sizeof(description) - 1] = 0;
  const Numbers n = numbers();
  const bool of_communicator = bind == n.of_communicator;
  // Other variables count only after they are started, and now it is too late for that.
  if (!continuous || (bind != n.unbound && !of_communicator) || !is_safe(name, of_communicator)) return false;
  if (abi.family->handle_bytes.datatype == 4) datatype = static_cast<uint32_t>(datatype);
  const Type type = type_of(datatype);
  if (type == Type::none) return false;
  uint64_t world = abi.comm_world;
  void* handle = nullptr;
  int32_t count = 0;
  if (call_real(Fn::T_pvar_handle_alloc, session_, index, of_communicator ? &world : nullptr, &handle, &count) != 0) {
    return false;
  }
  static char values[most_elements * sizeof(uint64_t)];
  const bool fits = count > 0 && count <= most_elements;
  const bool read = fits && call_real(Fn::T_pvar_read, session_, handle, values) == 0;
  call_real(Fn::T_pvar_handle_free, session_, &handle);
  if (!read) return false;
  const double value = sum_of(type, values, count);
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  out->string(name, sizeof(name));
  out->string(description, sizeof(description));
  out->byte(static_cast<uint8_t>(cls - n.first_class));
  out->bytes(&bits, sizeof(bits));
  return true;
}

}  // namespace

void read_tool_variables(trace::ByteSink* out) {
  for (const Fn fn :
       {Fn::T_init_thread, Fn::T_finalize, Fn::T_pvar_get_num, Fn::T_pvar_get_info, Fn::T_pvar_session_create,
        Fn::T_pvar_session_free, Fn::T_pvar_handle_alloc, Fn::T_pvar_handle_free, Fn::T_pvar_read}) {
    if (!has_real(fn)) return;
  }
  if (!is_wanted()) return;
  if (tool_interface.ended() && !can_be_started_again()) return;
  const uint64_t begin = system_ns(CLOCK_MONOTONIC);
  int32_t provided = 0, number = 0;
  if (call_real(Fn::T_init_thread, abi.family->thread_single, &provided) != 0) return;
  if (call_real(Fn::T_pvar_get_num, &number) == 0 && number > 0) {
    Session session;
    uint32_t kept = 0;
    for (int32_t i = 0; session.is_open() && i < number && i < most_examined && kept < most_kept; ++i) {
      if (system_ns(CLOCK_MONOTONIC) - begin > most_ns) break;
      kept += session.read(i, out);
    }
  }
  call_real(Fn::T_finalize);
}

void read_library_settings(trace::ByteSink* out) {
  constexpr uint32_t most_settings = 128;
  constexpr size_t longest = 1024;
  // Only user settings of OMPI_MCA_*; the launcher puts its own addresses there, too.
  constexpr const char* prefixes[] = {"MPIR_CVAR_",           "MPIR_PARAM_",    "MPICH_",         "I_MPI_",
                                      "FI_PROVIDER",          "UCX_",           "OMPI_MCA_pml",   "OMPI_MCA_btl",
                                      "OMPI_MCA_mtl",         "OMPI_MCA_coll",  "OMPI_MCA_osc",   "OMPI_MCA_io",
                                      "OMPI_MCA_mpi_",        "OMPI_MCA_fcoll", "OMPI_MCA_fbtl",  "OMPI_MCA_topo",
                                      "OMPI_MCA_rcache_",     "OMPI_MCA_mpool", "OMPI_MCA_smsc_", "OMPI_MCA_opal_cuda",
                                      "LEADLINE_TUNING_TABLE"};
  static char masked[longest + 1];  // the program's stack may be small
  const bool keeps = keeps_secrets();
  uint32_t kept = 0;
  for (char** at = environ; at && *at && kept < most_settings; ++at) {
    const char* equals = strchr(*at, '=');
    if (!equals || static_cast<size_t>(equals - *at) >= longest) continue;
    for (const char* prefix : prefixes) {
      if (!host::begins(*at, prefix)) continue;
      out->string(*at, static_cast<size_t>(equals - *at));
      const char* value = equals + 1;
      if (!keeps) {
        mask_value(*at, static_cast<size_t>(equals - *at), value, masked, sizeof(masked));
        value = masked;
      }
      out->string(value, longest);
      ++kept;
      break;
    }
  }
}

}  // namespace leadline::recorder
