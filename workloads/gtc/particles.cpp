#include "particles.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace gtc {
namespace {

// SplitMix64: the stream of a particle begins at its number.
class Draw {
 public:
  explicit Draw(uint64_t number) : state_(number * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du) { next(); }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }

 private:
  uint64_t next() {
    uint64_t word = (state_ += 0x9e3779b97f4a7c15u);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }
  uint64_t state_;
};

// Thermal, evenly spread, with a wave along and across the field that the electrons will answer.
Particle particle(uint64_t number) {
  Draw draw(number);
  Particle made{};
  const double low = inner_radius * inner_radius, high = outer_radius * outer_radius;
  made.now[Particle::radius] = std::sqrt(low + (high - low) * draw.uniform());
  made.now[Particle::theta] = 2.0 * M_PI * draw.uniform();
  const double zeta = 2.0 * M_PI * draw.uniform();
  made.now[Particle::zeta] = wrapped(zeta + 0.2 * std::sin(zeta - 2.0 * made.now[Particle::theta]));
  const bool fast = number % 100 == 0;  // as fast as those from fusion: they cross more than one domain in a step
  const double speed = (fast ? 3.0 : 1.0) * std::sqrt(-2.0 * std::log(draw.uniform()));
  made.now[Particle::parallel] = speed * std::cos(2.0 * M_PI * draw.uniform());
  made.now[Particle::charge] = 0.5 + draw.uniform();
  made.now[Particle::moment] = -std::log(draw.uniform());
  return made;
}

}  // namespace

std::vector<Particle> initial_particles(const Torus& torus) {
  std::vector<Particle> particles;
  for (long n = torus.share(); n < torus.settings().particles; n += torus.sharers()) {
    const Particle made = particle(n);
    if (torus.domain_of(made.now[Particle::zeta]) == torus.domain()) particles.push_back(made);
  }
  return particles;
}

Gyration gyration(const Torus& torus, const Particle& particle) {
  const int poloidal = torus.settings().poloidal, last = torus.settings().radial - 1;
  const double radius = particle.now[Particle::radius];
  const double reach = gyroradius * std::sqrt(2.0 * particle.now[Particle::moment]);
  const double out[4] = {reach, 0.0, -reach, 0.0}, along[4] = {0.0, reach / radius, 0.0, -reach / radius};
  Gyration points;
  for (int n = 0; n < 4; ++n) {
    // What would gyrate beyond a boundary stays on it, so that no charge is lost there.
    const double x = std::clamp((radius + out[n] - inner_radius) / torus.dr(), 0.0, static_cast<double>(last));
    const int i = std::min(static_cast<int>(x), last - 1);
    const double y = wrapped(particle.now[Particle::theta] + along[n]) / torus.dtheta();
    const int j = std::min(static_cast<int>(y), poloidal - 1), after = (j + 1) % poloidal;
    const double up = x - i, on = y - j;
    const int point[4] = {i * poloidal + j, i * poloidal + after, (i + 1) * poloidal + j, (i + 1) * poloidal + after};
    const double weight[4] = {(1.0 - up) * (1.0 - on), (1.0 - up) * on, up * (1.0 - on), up * on};
    for (int m = 0; m < 4; ++m) {
      points.point[n][m] = point[m];
      points.weight[n][m] = 0.25 * weight[m];
    }
  }
  return points;
}

Between between_planes(const Torus& torus, const Particle& particle) {
  const double zeta = particle.now[Particle::zeta];
  if (torus.domain_of(zeta) != torus.domain()) {
    throw std::runtime_error("a particle at zeta = " + std::to_string(zeta) + " is not in domain " +
                             std::to_string(torus.domain()));
  }
  const double place = zeta / torus.dzeta() - static_cast<double>(torus.domain()) * torus.planes();
  const int left = std::clamp(static_cast<int>(place), 0, torus.planes() - 1);
  return {left, std::clamp(place - left, 0.0, 1.0)};
}

}  // namespace gtc
