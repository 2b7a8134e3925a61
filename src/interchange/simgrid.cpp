#include "interchange/simgrid.hpp"

#include "interchange/output.hpp"

namespace leadline::interchange {

namespace {

using Kind = Action::Kind;

std::string number(int64_t n) { return std::to_string(n); }

void add(std::string* line, const std::vector<int64_t>& numbers) {
  for (const int64_t n : numbers) *line += " " + number(n);
}

int64_t total(const std::vector<int64_t>& numbers) {
  int64_t sum = 0;
  for (const int64_t n : numbers) sum += n;
  return sum;
}

// An empty line: SimGrid's action needs the sizes of all ranks, which only the root knows.
std::string collective(const Action& a) {
  const std::string& name = a.collective;
  std::string line = name;
  if (name == "barrier") return line;
  if (name == "bcast") return line + " " + number(a.bytes) + " " + number(a.root);
  if (name == "reduce") return line + " " + number(a.bytes) + " 0 " + number(a.root);
  if (name == "allreduce" || name == "scan" || name == "exscan") return line + " " + number(a.bytes) + " 0";
  if (name == "allgather" || name == "alltoall") return line + " " + number(a.bytes) + " " + number(a.in_bytes);
  if (name == "gather" || name == "scatter") {
    return line + " " + number(a.bytes) + " " + number(a.in_bytes) + " " + number(a.root);
  }
  if (name == "allgatherv") {
    line += " " + number(a.bytes);
    add(&line, a.in_counts);
    return line;
  }
  if (name == "alltoallv") {
    line += " " + number(total(a.counts));
    add(&line, a.counts);
    line += " " + number(total(a.in_counts));
    add(&line, a.in_counts);
    return line;
  }
  return "";
}

}  // namespace

int write_simgrid(Actions* actions, const trace::Process& process, uint32_t index, const std::string& path) {
  Output out(path);
  const std::string rank = number(process.rank) + " ";
  out.write(rank + "init\n");
  actions->visit(process, index, [&](const Action& a) {
    std::string line;
    switch (a.kind) {
      case Kind::compute:
        line = "compute " + number(static_cast<int64_t>(a.ns + 0.5));
        break;
      case Kind::send:
      case Kind::receive:
        line = std::string(a.request ? "i" : "") + (a.kind == Kind::send ? "send " : "recv ") + number(a.partner) +
               " " + number(a.tag) + " " + number(a.bytes);
        break;
      case Kind::wait: {
        const int32_t source = a.sends ? process.rank : a.partner, dest = a.sends ? a.partner : process.rank;
        line = "wait " + number(source) + " " + number(dest) + " " + number(a.tag);
        break;
      }
      case Kind::collective:
        line = collective(a);
        break;
    }
    if (!line.empty()) out.write(rank + line + "\n");
  });
  out.write(rank + "finalize\n");
  return out.close();
}

}  // namespace leadline::interchange
