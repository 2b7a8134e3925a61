// Routines in namespaces and classes of every kind: their short names are the same with and without -g.
extern "C" void capture();

#define KEEP __attribute__((noinline))
// Another number in each: routines that are alike may be made one.
#define CALL(n) (capture(), *(volatile int*)& calls += (n))

static int calls = 0;

namespace ocean {
namespace detail {
KEEP void halo() { CALL(1); }
}  // namespace detail

namespace {
KEEP void hidden() { CALL(2); }
}  // namespace

KEEP void advance() { CALL(3); }

template <class T>
KEEP int spread(T n) {
  CALL(4);
  return static_cast<int>(n);
}

class grid {
 public:
  KEEP explicit grid(int n) : n_(n) { CALL(5); }
  KEEP void exchange() {
    CALL(6);
    ++n_;
  }
  KEEP static void barrier() { CALL(7); }
  KEEP bool operator==(const grid& other) const {
    CALL(8);
    return n_ == other.n_;
  }
  KEEP void each() {
    const auto visit = [this](int n) KEEP {
      CALL(9);
      n_ += n;
    };
    visit(1);
    CALL(10);
  }

 private:
  int n_;
};

template <class Field>
struct Halo {
  KEEP void update(Field field) {
    CALL(11);
    last = field;
  }
  Field last{};
};

KEEP int size_of(const grid& g) { return g == g; }
}  // namespace ocean

int main() {
  ocean::detail::halo();
  ocean::hidden();
  ocean::advance();
  ocean::spread<double>(1);
  ocean::grid g(1);
  g.exchange();
  ocean::grid::barrier();
  (void)ocean::size_of(g);
  g.each();
  ocean::Halo<int> halo;
  halo.update(2);
  return 0;
}
