extern "C" void capture();

namespace ocean {

static inline __attribute__((always_inline)) void exchange() {
  capture();  // line 6
}

__attribute__((noinline)) void advect() {
  exchange();  // line 10
  asm volatile("");
}

__attribute__((noinline)) void diffuse() {
  exchange();  // line 15
  asm volatile("");
}

struct Halo {
  template <class Field>
  __attribute__((noinline)) int update(Field field) {
    capture();  // line 22
    return static_cast<int>(field) + 1;
  }
};

}  // namespace ocean

int main(int argc, char**) {
  ocean::advect();   // line 30
  ocean::diffuse();  // line 31
  ocean::Halo halo;
  const auto lambda = [&](int n) __attribute__((noinline)) {
    capture();  // line 34
    return n + 1;
  };
  return halo.update<double>(argc) + lambda(argc) - 2 * argc - 2;  // line 37
}
