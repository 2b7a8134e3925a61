// Where a run's time goes: wall-clock seconds per named phase, and the slowest rank's figure of each at the end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace kit {

class Phases {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Phases(std::vector<std::string> names) : names_(std::move(names)), spent_s_(names_.size(), 0.0) {}

  // Counts the time until it goes out of scope to the phase.
  class Measurement {
   public:
    explicit Measurement(double& spent_s) : spent_s_(spent_s) {}
    Measurement(const Measurement&) = delete;
    Measurement& operator=(const Measurement&) = delete;
    ~Measurement() { spent_s_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }

   private:
    double& spent_s_;
    Clock::time_point begin_ = Clock::now();
  };

  [[nodiscard]] Measurement measure(size_t phase) { return Measurement(spent_s_[phase]); }

  // "12.3 s (advection 4.5 s, output 0.1 s)": the time since this object was made and the phases, each on the rank
  // where it took longest. Collective over MPI_COMM_WORLD; the text is complete on rank 0 only.
  std::string slowest() const;

 private:
  std::vector<std::string> names_;
  std::vector<double> spent_s_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace kit
