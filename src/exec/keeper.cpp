// The first rank on a node binds the run's socket and leaves a process that admits the other ranks. That process
// becomes Python's keeper once no more ranks come, or when one ends: Python then starts once on each node, and beside
// no rank that is just being started.
#include "exec/keeper.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <string_view>

#include "exec/python.hpp"

namespace leadline::exec {

namespace {

constexpr char answer = 'k';
constexpr int patience_s = 2;
constexpr int quiet_ms = 500;
constexpr int most_waiting = 1024;

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

int open_process(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

uint32_t crc32_of(std::string_view text) {
  uint32_t crc = ~0U;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
  }
  return ~crc;
}

uint32_t adler32_of(std::string_view text) {
  uint32_t a = 1, b = 0;
  for (const char c : text) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// An abstract socket: of this kernel's network namespace, with no file. keeper.py has the same name.
struct Address {
  sockaddr_un name{};
  socklen_t length;

  explicit Address(const std::string& directory) {
    name.sun_family = AF_UNIX;
    const int written = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "leadline-%u-%08x-%08x",
                                 static_cast<unsigned>(getuid()), crc32_of(directory), adler32_of(directory));
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(written));
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

int listen_at(const Address& address) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  if (bind(listener, address.get(), address.length) == 0 && listen(listener, most_waiting) == 0) return listener;
  close(listener);
  return -1;
}

void be_patient(int connection) {
  const timeval limit{patience_s, 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

// Whether the keeper took our process id, or lives and is slow.
bool told(const Address& address) {
  const int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (to < 0) return false;
  be_patient(to);
  bool taken = false;
  if (connect(to, address.get(), address.length) == 0) {
    char text[32];
    const int length = snprintf(text, sizeof(text), "%d\n", static_cast<int>(getpid()));
    char heard = 0;
    if (send(to, text, static_cast<size_t>(length), MSG_NOSIGNAL) == length) {
      const ssize_t got = recv(to, &heard, 1, 0);
      taken = (got == 1 && heard == answer) || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
    }
  } else {
    taken = errno == EAGAIN;  // its queue is full
  }
  close(to);
  return taken;
}

// So that nobody waits for the end of a stream that we hold open.
void let_go(int listener) {
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) dup2(null, standard);
  const auto close_all = [](unsigned from, unsigned to) {
    if (from > to || syscall(SYS_close_range, from, to, 0) == 0) return;
    for (unsigned fd = from; fd <= to && fd < 65536; ++fd) close(static_cast<int>(fd));
  };
  close_all(3, static_cast<unsigned>(listener) - 1);
  close_all(static_cast<unsigned>(listener) + 1, ~0U);
}

struct Watched {
  std::map<int, int> ranks;       // descriptor of a process: its id
  std::map<int, long long> ends;  // its id: when it ended, in ns since 1970

  void add(int pid) {
    const int descriptor = open_process(pid);
    if (descriptor >= 0) ranks[descriptor] = pid;
  }
};

void admit(int listener, Watched* watched) {
  const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  be_patient(connection);
  char text[32] = "";
  if (recv(connection, text, sizeof(text) - 1, 0) > 0) {
    watched->add(atoi(text));
    send(connection, &answer, 1, MSG_NOSIGNAL);
  }
  close(connection);
}

// Notes the ranks that ended. True if any did.
bool take_ends(const std::vector<pollfd>& found, Watched* watched) {
  bool ended = false;
  for (const pollfd& one : found) {
    const auto rank = watched->ranks.find(one.fd);
    if (!one.revents || rank == watched->ranks.end()) continue;
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    watched->ends[rank->second] = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
    close(one.fd);
    watched->ranks.erase(rank);
    ended = true;
  }
  return ended;
}

void wait_until_quiet(int listener, Watched* watched) {
  while (true) {
    std::vector<pollfd> all{{listener, POLLIN, 0}};
    for (const auto& [descriptor, pid] : watched->ranks) all.push_back({descriptor, POLLIN, 0});
    const int events = poll(all.data(), all.size(), quiet_ms);
    if (events == 0) return;
    if (events < 0) continue;
    if (all[0].revents) admit(listener, watched);
    if (take_ends(all, watched)) return;
  }
}

template <typename Map>
std::string pairs_of(const Map& map) {
  std::string text;
  for (const auto& [key, value] : map) text += std::to_string(key) + ":" + std::to_string(value) + ",";
  return text;
}

[[noreturn]] void keep(const std::string& directory, const std::vector<std::string>& python, int listener, int rank) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  let_go(listener);
  Watched watched;
  watched.add(rank);
  wait_until_quiet(listener, &watched);
  fcntl(listener, F_SETFD, 0);
  for (const auto& [descriptor, pid] : watched.ranks) fcntl(descriptor, F_SETFD, 0);
  become_python(python, Part::keeper,
                {directory, std::to_string(listener), pairs_of(watched.ranks), pairs_of(watched.ends)});
  _exit(0);
}

}  // namespace

void watch(const std::string& directory, const std::vector<std::string>& python) {
  const int known = open_process(getpid());
  if (known < 0) return;  // a kernel from before 5.3
  close(known);
  const Address address(directory);
  for (int attempt = 0; attempt < 3; ++attempt) {  // a keeper may be about to end
    const int listener = listen_at(address);
    if (listener < 0) {
      if (told(address)) return;
      continue;
    }
    const pid_t rank = getpid();
    const pid_t child = fork();
    if (child == 0) {
      setsid();  // not of the rank's process group: a launcher may kill that
      // A grandchild: the rank must not have a child that its program knows nothing of.
      if (fork() == 0) keep(directory, python, listener, rank);
      _exit(0);
    }
    close(listener);
    if (child > 0) waitpid(child, nullptr, 0);
    return;
  }
}

}  // namespace leadline::exec
