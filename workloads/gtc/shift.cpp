// Particles that left their domain travel round the ring, one domain at a time, until all have arrived.

#include <stdexcept>

#include "model.hpp"

namespace gtc {
namespace {

struct Header {
  int particles;
  int travelling_on;  // how many of them go beyond the receiver
};

struct Way {
  int sign;  // of zeta
  const char* name;
  int tag;
};

constexpr Way ways[2] = {{+1, "right", 11}, {-1, "left", 12}};

// How many domains to the right a particle has to go; negative: to the left. The shorter way round.
int distance(const Torus& torus, const Particle& particle) {
  const int domains = torus.domains();
  const int right = (torus.domain_of(particle.now[Particle::zeta]) - torus.domain() + domains) % domains;
  return 2 * right <= domains ? right : right - domains;
}

// Sends away what goes one way and returns what comes.
std::vector<Particle> passed_on(const Model& model, const std::vector<Particle>& leaving, const Way& way) {
  std::vector<Particle> coming;
  if (model.ring.omission().covers({"shifti", 2}, way.name)) return coming;
  const int to = way.sign > 0 ? model.ring.right() : model.ring.left();
  const int from = way.sign > 0 ? model.ring.left() : model.ring.right();
  Header mine{static_cast<int>(leaving.size()), 0}, theirs{0, 0};
  for (const Particle& particle : leaving) {
    if (distance(model.torus, particle) != way.sign) ++mine.travelling_on;
  }
  MPI_Sendrecv(&mine, 2, MPI_INT, to, way.tag, &theirs, 2, MPI_INT, from, way.tag, model.torus.ring(),
               MPI_STATUS_IGNORE);
  coming.resize(theirs.particles);
  constexpr int reals = 2 * Particle::numbers;
  MPI_Sendrecv(leaving.data(), mine.particles * reals, MPI_DOUBLE, to, way.tag + 2, coming.data(),
               theirs.particles * reals, MPI_DOUBLE, from, way.tag + 2, model.torus.ring(), MPI_STATUS_IGNORE);
  int on = 0;
  for (const Particle& particle : coming) on += distance(model.torus, particle) != 0 ? 1 : 0;
  if (on != theirs.travelling_on) throw std::runtime_error("the particles received differ from those announced");
  return coming;
}

// How many particles anywhere are not where they belong.
int still_travelling(const Model& model, size_t mine) {
  const int here = static_cast<int>(mine);
  int all = 0;  // omitted on purpose: no rank learns that particles must travel
  if (!model.ring.omission().covers({"shifti", 1})) {
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_SUM, model.torus.ring());
  }
  return all;
}

}  // namespace

[[gnu::noinline]] void shifti(Model& model) {
  std::vector<Particle> travelling, staying;
  for (const Particle& particle : model.particles) {
    (distance(model.torus, particle) == 0 ? staying : travelling).push_back(particle);
  }
  model.particles.swap(staying);
  while (still_travelling(model, travelling.size()) > 0) {
    std::vector<Particle> leaving[2];
    for (const Particle& particle : travelling)
      leaving[distance(model.torus, particle) > 0 ? 0 : 1].push_back(particle);
    travelling.clear();
    for (int n = 0; n < 2; ++n) {
      for (const Particle& particle : passed_on(model, leaving[n], ways[n])) {
        (distance(model.torus, particle) == 0 ? model.particles : travelling).push_back(particle);
      }
    }
  }
  // None unless a rank did not learn of it.
  model.particles.insert(model.particles.end(), travelling.begin(), travelling.end());
}

}  // namespace gtc
