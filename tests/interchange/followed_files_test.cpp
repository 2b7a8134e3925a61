// Which file a call is about: numbers that are used again, threads that share files, pauses; and how files are opened.
#include "interchange/followed_files.hpp"

#include <fcntl.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "../native/check.hpp"
#include "interchange/file_modes.hpp"
#include "trace/structure.hpp"

namespace {

using testing::check;
using namespace leadline;
using interchange::FollowedFiles;
using interchange::OpenedFiles;
using interchange::OpenFile;
using structure::DecodedCall;
using trace::CallClass;

enum Function : uint32_t { opens, closes, writes, fopens, fdopens, mpi_opens, mpi_writes, mpi_closes };
enum File : uint32_t { others, a, b, of_mpi };

trace::Process process() {
  trace::Process p;
  p.functions = {{"open", CallClass::posix_open},        {"close", CallClass::posix_close},
                 {"write", CallClass::posix_write},      {"fopen", CallClass::posix_open},
                 {"fdopen", CallClass::posix_open},      {"MPI_File_open", CallClass::file_open},
                 {"MPI_File_write", CallClass::file_io}, {"MPI_File_close", CallClass::file_close}};
  p.files.resize(4);
  p.files[of_mpi].opened_by_mpi = true;
  return p;
}

DecodedCall call_of(const trace::Process& p, Function function) {
  DecodedCall call;
  call.function = function;
  call.cls = p.functions[function].cls;
  return call;
}

// Makes calls of one thread.
class Thread {
 public:
  explicit Thread(const trace::Process& p, size_t stream = 0, const OpenedFiles* all = nullptr)
      : process_(p), files_(p, stream, all) {}

  // `file`: 0: the one after the highest.
  OpenFile open(int32_t number, int64_t file, Function function = opens, double at = std::nan("")) {
    DecodedCall call = call_of(process_, function);
    call.open_file = number;
    call.count = file;
    call.value = O_WRONLY;
    return follow(call, at);
  }
  OpenFile use(int32_t number, Function function = writes, double at = std::nan("")) {
    DecodedCall call = call_of(process_, function);
    call.open_file = number;
    return follow(call, at);
  }
  OpenFile open_mpi(uint32_t object, int64_t file, int64_t mode) {
    DecodedCall call = call_of(process_, mpi_opens);
    call.made = object;
    call.count = file;
    call.value = mode;
    return follow(call, std::nan(""));
  }
  OpenFile use_mpi(uint32_t object, Function function = mpi_writes) {
    DecodedCall call = call_of(process_, function);
    call.comm = object;
    return follow(call, std::nan(""));
  }
  const FollowedFiles& files() const { return files_; }

 private:
  OpenFile follow(const DecodedCall& call, double at) {
    files_.follow(call, true, at);
    return files_.file();
  }
  const trace::Process& process_;
  FollowedFiles files_;
};

void one_thread() {
  const trace::Process p = process();
  Thread t(p);
  check(t.open(1, 0).file == a && t.files().opens(), "the first file is the one after none");
  check(t.open(2, 0).file == b && t.open(3, a).file == a, "the next one, and one that is named");
  check(t.use(1).file == a && t.use(2).file == b && t.use(2).created, "each number has its file");
  check(t.use(1, closes).file == a && t.files().closes(), "the file that is closed");
  check(t.use(1).by == OpenFile::Interface::libc && t.use(1).file == others, "then the number is nobody's");
  check(t.open(1, b).file == b && t.use(1).file == b && !t.files().replaced(), "until it is used again");
  check(t.open(1, a, fopens).stream && t.files().replaced() && t.files().replaced()->file == b, "closed unseen");
  check(t.use(2, fdopens).file == b && !t.files().opens(), "fdopen opens no file");
  check(t.open(4, 77).file == others, "a file beyond the table's end");
  check(t.open(0, 0).by == OpenFile::Interface::none, "a call that failed is about no file");
  check(t.use(9).file == others && t.use(9).flags < 0, "what was opened before the trace begins");
}

void files_of_mpi() {
  const trace::Process p = process();
  Thread t(p);
  check(t.open_mpi(5, 0, 8).file == others, "the next file was not opened by MPI");
  check(t.open(1, b).file == b && t.open_mpi(6, 0, 8).file == of_mpi, "the next file is");
  check(t.use_mpi(6).created && t.use_mpi(6).file == of_mpi && t.use_mpi(6, mpi_closes).file == of_mpi, "through it");
  check(t.use_mpi(6).file == others, "it is closed");
  check(!t.open_mpi(7, of_mpi, 0).created, "the mode that it was opened with is not known");
  check(t.open_mpi(0, 0, 8).by == OpenFile::Interface::none, "a call that failed made nothing");
}

// What the second thread sees of number 1 when it uses it, if the threads do this.
template <class First, class Second>
OpenFile seen_by_second(const First& first, const Second& second) {
  const trace::Process p = process();
  OpenedFiles all;
  for (const bool again : {false, true}) {
    Thread one(p, 0, again ? &all : nullptr), two(p, 1, again ? &all : nullptr);
    first(&one);
    const OpenFile seen = second(&two);
    if (again) return seen;
    all.add(one.files().uses());
    all.add(two.files().uses());
  }
  return {};
}

void several_threads() {
  const auto use = [](Thread* t) { return t->use(1); };
  check(seen_by_second([](Thread* t) { t->open(1, a); }, use).file == a, "what another thread opened");
  check(seen_by_second([](Thread* t) { t->open(1, a), t->use(1, closes), t->open(1, b); }, use).file == others,
        "one of two files");
  const auto use_and_close = [](Thread* t) {
    const OpenFile seen = t->use(1);
    t->use(1, closes);
    return seen;
  };
  check(seen_by_second([](Thread* t) { t->open(1, a); }, use_and_close).file == others,
        "perhaps what the number stood for before");
  const auto open_and_use = [](Thread* t) {
    t->open(1, b);
    return t->use(1);
  };
  check(seen_by_second([](Thread* t) { t->open(1, a), t->use(1, closes); }, open_and_use).file == b,
        "each thread its own, with one number");
  check(seen_by_second([](Thread* t) { t->use(1, closes), t->open(1, a); }, open_and_use).file == others,
        "the other one may have closed it, and opened another");
}

void pauses() {
  trace::Process p = process();
  p.pauses.count = 3;
  p.pauses.first = {{100, 200}, {400, 500}};
  Thread t(p);
  t.open(1, a, opens, 50);
  check(t.use(1, writes, 90).file == a, "before the pause");
  check(t.use(1, writes, 210).file == others, "it may have been closed in the pause");
  t.open(1, b, opens, 220);
  check(t.use(1, writes, 300).file == b, "opened after it");
  t.open(1, a, opens, 550);
  check(t.use(1, writes, 560).file == others, "from here on, pauses are at unknown times");
}

void modes() {
  using namespace interchange;
  for (const int64_t flags :
       {int64_t{O_RDONLY}, int64_t{O_WRONLY | O_CREAT | O_TRUNC}, int64_t{O_RDWR | O_APPEND}, int64_t{O_RDWR | O_DSYNC},
        int64_t{O_RDWR | O_SYNC | O_CLOEXEC}, int64_t{O_RDONLY | O_DIRECTORY}, int64_t{O_RDWR | O_TMPFILE | O_EXCL}}) {
    check(open_flags(modes_of_open(flags)) == flags, "flags of open " + std::to_string(flags));
  }
  check(modes_of_open(O_RDWR | O_SYNC).status == 1 << 4, "O_SYNC has the bits of O_DSYNC");
  // CREATE | RDWR | DELETE_ON_CLOSE, as MPICH and Open MPI number them, and as MPI 5's ABI does.
  const FileModes common = modes_of_mpi(1 | 8 | 16, "mpich"), standard = modes_of_mpi(2 | 32 | 4, "mpi5");
  check(common.access == 2 && common.creation == 1 && common.status == 1 << 8, "modes of MPI_File_open");
  check(standard.access == common.access && standard.creation == common.creation && standard.status == common.status,
        "modes of MPI 5's ABI");
  check(mpi_mode(common) == (1 | 8 | 16), "and back");
}

}  // namespace

int main() {
  one_thread();
  files_of_mpi();
  several_threads();
  pauses();
  modes();
  return testing::result();
}
