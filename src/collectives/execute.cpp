#include "collectives/execute.hpp"

namespace leadline::collectives {

namespace {

class Execution {
 public:
  Execution(const Transport& transport, const Buffers& buffers, void* requests)
      : transport_(transport), buffers_(buffers), requests_(static_cast<char*>(requests)) {}

  int perform(const Step& step) {
    void* state = transport_.state;
    switch (step.kind) {
      case Step::Kind::send:
        return transport_.send(state, at(step.from), step, request(step.request));
      case Step::Kind::receive:
        return transport_.receive(state, at(step.to), step, request(step.request));
      case Step::Kind::wait:
        return transport_.wait(state, step, request(step.request));
      case Step::Kind::copy:
        if (at(step.from) == at(step.to)) return 0;  // in place
        return transport_.copy(state, at(step.from), at(step.to), step.to.count);
      case Step::Kind::reduce:
        return transport_.reduce(state, at(step.from), at(step.to), step.to.count);
      case Step::Kind::native:
        return transport_.native(state, at(step.from), at(step.to), step.to.count);
      case Step::Kind::together:
        return transport_.together(state, at(step.from), at(step.to), step);
    }
    return 0;
  }

 private:
  char* at(const Range& range) const { return buffers_.at(range); }
  void* request(uint32_t number) const { return requests_ + std::size_t{number} * transport_.request_bytes; }

  const Transport& transport_;
  const Buffers& buffers_;
  char* requests_;
};

}  // namespace

int execute(const Schedule& schedule, const Transport& transport, const Buffers& buffers, void* requests,
            size_t* failed) {
  Execution execution(transport, buffers, requests);
  for (const Step& step : schedule.steps) {
    if (const int error = execution.perform(step)) {
      if (failed) *failed = static_cast<size_t>(&step - schedule.steps.data());
      return error;
    }
  }
  return 0;
}

}  // namespace leadline::collectives
