extern "C" void capture();

namespace ocean {
class Field {
 public:
  __attribute__((noinline)) int sum(int n) {
    int all = base_;
#pragma omp parallel for num_threads(1) reduction(+ : all)
    for (int i = 0; i < n; ++i) {
      capture();  // line 10
      all += i;
    }
    return all;
  }

 private:
  int base_ = 0;
};
}  // namespace ocean

int main() {
  ocean::Field field;
  return field.sum(1);
}
