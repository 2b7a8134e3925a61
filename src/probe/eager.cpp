#include "probe/eager.hpp"

#include <vector>

#include "network/eager_limit.hpp"

namespace leadline::probe {

namespace {

using network::EagerTag;

constexpr int first_tag = 7;
constexpr int status_bytes = 128;  // more than any library's

class Messages {
 public:
  Messages(const Library& it, int rank, long most) : it_(it), other_(1 - rank), buffer_(most + 1) {}

  void begin(int64_t bytes) {
    it_.isend(buffer_.data(), static_cast<int>(bytes), it_.byte, other_, tag(EagerTag::message), it_.world, &request_);
  }
  bool is_over() {
    int done = 0;
    it_.test(&request_, &done, status_);
    return done != 0;
  }
  void finish() { it_.wait(&request_, status_); }
  void send(EagerTag which) {
    char nothing = 0;
    it_.send(&nothing, 1, it_.byte, other_, tag(which), it_.world);
  }
  void receive(EagerTag which) {
    char nothing = 0;
    it_.recv(&nothing, 1, it_.byte, other_, tag(which), it_.world, status_);
  }
  void tell(char what) { it_.send(&what, 1, it_.byte, other_, tag(EagerTag::next), it_.world); }
  char hear() {
    char what = 0;
    it_.recv(&what, 1, it_.byte, other_, tag(EagerTag::next), it_.world, status_);
    return what;
  }
  void take(int64_t most) {
    it_.recv(buffer_.data(), static_cast<int>(most + 1), it_.byte, other_, tag(EagerTag::message), it_.world, status_);
  }

 private:
  static int tag(EagerTag which) { return first_tag + static_cast<int>(which); }

  const Library& it_;
  int other_;
  std::vector<char> buffer_;
  Handle request_ = 0;
  alignas(16) char status_[status_bytes];
};

}  // namespace

Limits limits_of(const Library& it, long most) {
  int rank, size;
  it.rank(it.world, &rank);
  it.size(it.world, &size);
  if (size < 2 || !it.isend || !it.send || !it.recv || !it.test || !it.wait) return {};
  Limits found;
  if (rank < 2) {
    Messages messages(it, rank, most);
    if (rank == 0) {
      found.eager = static_cast<long>(network::longest_unreceived(messages, most));
      found.copied = static_cast<long>(network::longest_copied(messages, found.eager));
    } else {
      network::receive_late(messages, most);
      network::receive_asleep(messages, most);
    }
  }
  it.barrier(it.world);
  return found;
}

}  // namespace leadline::probe
