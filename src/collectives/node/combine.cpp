#include "collectives/node/combine.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <iterator>
#include <type_traits>

namespace leadline::collectives::node {

namespace {

enum class Fold : uint8_t { max, min, sum, prod, band, bor, bxor, none };

// Whole numbers overflow as they do in the hardware.
template <Fold fold, class T>
[[gnu::always_inline]] inline T combined(T a, T b) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, T,
                                  std::conditional_t<(sizeof(T) < sizeof(uint32_t)), uint32_t, T>>;
  if constexpr (fold == Fold::max) return b > a ? b : a;
  if constexpr (fold == Fold::min) return b < a ? b : a;
  if constexpr (fold == Fold::sum) return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  if constexpr (fold == Fold::prod) return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  if constexpr (!std::is_floating_point_v<T>) {
    if constexpr (fold == Fold::band) return static_cast<T>(a & b);
    if constexpr (fold == Fold::bor) return static_cast<T>(a | b);
    if constexpr (fold == Fold::bxor) return static_cast<T>(a ^ b);
  }
  return a;
}

// Buffers are the same or apart (ivdep), so that a vector's worth at a time gives the same.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")
#define LEADLINE_APART _Pragma("GCC ivdep")
#else
#define LEADLINE_APART
#endif

template <Fold fold, class T>
void combine_plainly(const void* lower, const void* upper, void* to, int64_t count) {
  const T *a = static_cast<const T*>(lower), *b = static_cast<const T*>(upper);
  T* r = static_cast<T*>(to);
  LEADLINE_APART
  for (int64_t i = 0; i < count; ++i) r[i] = combined<fold>(a[i], b[i]);
}

#ifdef __x86_64__
template <Fold fold, class T>
__attribute__((target("avx2"))) void combine_widely(const void* lower, const void* upper, void* to, int64_t count) {
  const T *a = static_cast<const T*>(lower), *b = static_cast<const T*>(upper);
  T* r = static_cast<T*>(to);
  LEADLINE_APART
  for (int64_t i = 0; i < count; ++i) r[i] = combined<fold>(a[i], b[i]);
}
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
#undef LEADLINE_APART

#ifdef __x86_64__
// Whether processor and system have AVX2. (__builtin_cpu_supports brings a constructor, which is not for a library that
// is preloaded: src/host/immortal.hpp.)
bool ask_for_avx2() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX)) return false;
  unsigned states = 0, upper = 0;
  asm volatile("xgetbv" : "=a"(states), "=d"(upper) : "c"(0));
  constexpr unsigned sse_and_avx = 6;
  if ((states & sse_and_avx) != sse_and_avx) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}

// Asked once: within a virtual machine the question takes microseconds.
bool has_avx2() {
  static std::atomic<int8_t> known{-1};
  if (known.load(std::memory_order_relaxed) < 0) known.store(ask_for_avx2() ? 1 : 0, std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed) != 0;
}
#endif

template <Fold fold, class T>
Combine loop() {
#ifdef __x86_64__
  if (has_avx2()) return combine_widely<fold, T>;
#endif
  return combine_plainly<fold, T>;
}

template <class T>
Combine loop_of(Fold fold) {
  switch (fold) {
    case Fold::max:
      return loop<Fold::max, T>();
    case Fold::min:
      return loop<Fold::min, T>();
    case Fold::sum:  // the same bits, with or without a sign
      return loop<Fold::sum, typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>,
                                                         std::make_unsigned<T>>::type>();
    case Fold::prod:
      return loop<Fold::prod, typename std::conditional_t<std::is_floating_point_v<T>, std::type_identity<T>,
                                                          std::make_unsigned<T>>::type>();
    case Fold::band:
      return std::is_floating_point_v<T> ? nullptr : loop<Fold::band, T>();
    case Fold::bor:
      return std::is_floating_point_v<T> ? nullptr : loop<Fold::bor, T>();
    case Fold::bxor:
      return std::is_floating_point_v<T> ? nullptr : loop<Fold::bxor, T>();
    case Fold::none:
      break;
  }
  return nullptr;
}

Fold fold_of(std::string_view operation) {
  constexpr std::string_view names[] = {"MPI_MAX", "MPI_MIN", "MPI_SUM", "MPI_PROD", "MPI_BAND", "MPI_BOR", "MPI_BXOR"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (operation == names[i]) return static_cast<Fold>(i);
  return Fold::none;
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Combine find_combine(std::string_view operation, std::string_view datatype, int64_t element_bytes) {
  const Fold fold = fold_of(operation);
  const bool bitwise = fold == Fold::band || fold == Fold::bor || fold == Fold::bxor;
  if (is_among(datatype, {"MPI_FLOAT", "MPI_DOUBLE", "MPI_REAL", "MPI_DOUBLE_PRECISION", "MPI_REAL4", "MPI_REAL8"})) {
    if (bitwise) return nullptr;
    return element_bytes == 4 ? loop_of<float>(fold) : element_bytes == 8 ? loop_of<double>(fold) : nullptr;
  }
  if (is_among(datatype, {"MPI_INT", "MPI_LONG", "MPI_SHORT", "MPI_SIGNED_CHAR", "MPI_LONG_LONG", "MPI_LONG_LONG_INT",
                          "MPI_INT8_T", "MPI_INT16_T", "MPI_INT32_T", "MPI_INT64_T", "MPI_INTEGER", "MPI_INTEGER1",
                          "MPI_INTEGER2", "MPI_INTEGER4", "MPI_INTEGER8", "MPI_AINT", "MPI_OFFSET", "MPI_COUNT"})) {
    return element_bytes == 1   ? loop_of<int8_t>(fold)
           : element_bytes == 2 ? loop_of<int16_t>(fold)
           : element_bytes == 4 ? loop_of<int32_t>(fold)
           : element_bytes == 8 ? loop_of<int64_t>(fold)
                                : nullptr;
  }
  if (datatype == "MPI_BYTE" ? bitwise
                             : is_among(datatype, {"MPI_UNSIGNED", "MPI_UNSIGNED_LONG", "MPI_UNSIGNED_SHORT",
                                                   "MPI_UNSIGNED_CHAR", "MPI_UNSIGNED_LONG_LONG", "MPI_UINT8_T",
                                                   "MPI_UINT16_T", "MPI_UINT32_T", "MPI_UINT64_T"})) {
    return element_bytes == 1   ? loop_of<uint8_t>(fold)
           : element_bytes == 2 ? loop_of<uint16_t>(fold)
           : element_bytes == 4 ? loop_of<uint32_t>(fold)
           : element_bytes == 8 ? loop_of<uint64_t>(fold)
                                : nullptr;
  }
  return nullptr;
}

}  // namespace leadline::collectives::node
