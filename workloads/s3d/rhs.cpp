#include <cmath>

#include "model.hpp"

namespace s3d {
namespace {

// df/dx by eighth-order central differences.
void differentiate(const Field& field, int axis, double spacing, Field& result) {
  const double a = 4.0 / 5.0 / spacing, b = -1.0 / 5.0 / spacing, c = 4.0 / 105.0 / spacing, d = -1.0 / 280.0 / spacing;
  const std::ptrdiff_t s = field.stride(axis);
  for_each_row(field.sizes(), [&](int j, int k) {
    const double* at = field.row(j, k);
    double* to = result.row(j, k);
    for (int i = 0; i < field.sizes()[0]; ++i) {
      to[i] = a * (at[i + s] - at[i - s]) + b * (at[i + 2 * s] - at[i - 2 * s]) + c * (at[i + 3 * s] - at[i - 3 * s]) +
              d * (at[i + 4 * s] - at[i - 4 * s]);
    }
  });
}

void find_primitives(Model& model) {
  for_each_row(model.blocks.sizes(), [&](int j, int k) {
    for (int i = 0; i < model.blocks.sizes()[0]; ++i) {
      const Primitive p = primitive_of(point_of(model.state, i, j, k));
      const double values[primitives] = {p.velocity[0], p.velocity[1], p.velocity[2],
                                         p.temperature, p.fuel,        p.oxidiser};
      for (int v = 0; v < primitives; ++v) model.primitive[v].row(j, k)[i] = values[v];
    }
  });
}

// Every variable goes to all six neighbours by itself.
[[gnu::noinline]] void gradients(Model& model) {
  find_primitives(model);
  for (int v = 0; v < primitives; ++v) {
    model.halo.exchange(model.primitive[v], -1, difference_width, {"gradients", v + 1});
    for (int axis = 0; axis < 3; ++axis) {
      differentiate(model.primitive[v], axis, model.spacing[axis], model.gradient[3 * v + axis]);
    }
  }
}

// Velocities' gradients at a point, and what friction makes of them.
class Friction {
 public:
  Friction(const Model& model, int j, int k) : viscosity_(model.properties.viscosity) {
    for (int v = 0; v < 3; ++v) {
      for (int axis = 0; axis < 3; ++axis) gradient_[v][axis] = model.gradient_of(v, axis).row(j, k);
    }
  }

  double stress(int i, int v, int axis) const {
    const double shear = gradient_[v][axis][i] + gradient_[axis][v][i];
    const double growth = gradient_[0][0][i] + gradient_[1][1][i] + gradient_[2][2][i];
    return viscosity_ * (v == axis ? shear - 2.0 / 3.0 * growth : shear);
  }

 private:
  double viscosity_;
  const double* gradient_[3][3];
};

// The flux of one conserved quantity along an axis, into model.flux.
void find_flux(Model& model, int quantity, int axis) {
  const Properties& properties = model.properties;
  for_each_row(model.blocks.sizes(), [&](int j, int k) {
    const double* velocity[3];
    for (int v = 0; v < 3; ++v) velocity[v] = model.primitive[v].row(j, k);
    const double* density = model.state[0].row(j, k);
    const double* carried = model.state[quantity].row(j, k);
    const double* temperature = model.primitive[3].row(j, k);
    const double* heat = model.gradient_of(3, axis).row(j, k);
    const double* fuel = model.gradient_of(4, axis).row(j, k);
    const Friction friction(model, j, k);
    double* flux = model.flux.row(j, k);
    for (int i = 0; i < model.blocks.sizes()[0]; ++i) {
      const double pressure = density[i] * temperature[i];
      flux[i] = carried[i] * velocity[axis][i];
      if (quantity >= 1 && quantity <= 3) {
        flux[i] -= friction.stress(i, quantity - 1, axis);
        if (quantity - 1 == axis) flux[i] += pressure;
      } else if (quantity == 4) {
        flux[i] += pressure * velocity[axis][i] - properties.conductivity * heat[i] -
                   heat_of_reaction * properties.diffusivity * fuel[i];
        for (int v = 0; v < 3; ++v) flux[i] -= friction.stress(i, v, axis) * velocity[v][i];
      } else if (quantity >= 5) {
        flux[i] -= properties.diffusivity * model.gradient_of(quantity - 1, axis).row(j, k)[i];
      }
    }
  });
}

// The flux of every quantity along an axis goes to the two neighbours there by itself.
[[gnu::noinline]] void divergence(Model& model) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int v = 0; v < conserved; ++v) {
      find_flux(model, v, axis);
      model.halo.exchange(model.flux, axis, difference_width, {"divergence", axis * conserved + v + 1});
      differentiate(model.flux, axis, model.spacing[axis], model.outflow);
      for_each_row(model.blocks.sizes(), [&](int j, int k) {
        double* change = model.change[v].row(j, k);
        const double* outflow = model.outflow.row(j, k);
        for (int i = 0; i < model.blocks.sizes()[0]; ++i) change[i] = (axis == 0 ? 0.0 : change[i]) - outflow[i];
      });
    }
  }
}

// Fuel and oxidiser burn by Arrhenius' law; the energy they held is already counted.
void react(Model& model) {
  constexpr double activation = 8.0;  // temperature
  if (model.properties.rate == 0.0) return;
  for_each_row(model.blocks.sizes(), [&](int j, int k) {
    const double* temperature = model.primitive[3].row(j, k);
    const double* fuel = model.primitive[4].row(j, k);
    const double* oxidiser = model.primitive[5].row(j, k);
    const double* density = model.state[0].row(j, k);
    for (int i = 0; i < model.blocks.sizes()[0]; ++i) {
      const double burnt =
          model.properties.rate * density[i] * fuel[i] * oxidiser[i] * std::exp(-activation / temperature[i]);
      model.change[5].row(j, k)[i] -= burnt;
      model.change[6].row(j, k)[i] -= burnt;
    }
  });
}

}  // namespace

void rhsf(Model& model, kit::Phases& phases) {
  {
    const auto measurement = phases.measure(Phase::gradients);
    gradients(model);
  }
  {
    const auto measurement = phases.measure(Phase::divergence);
    divergence(model);
  }
  const auto measurement = phases.measure(Phase::reaction);
  react(model);
}

}  // namespace s3d
