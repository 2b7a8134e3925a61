// A hidden routine behind an exported one of assembly, which has no size.
void capture(void);

__asm__(
    ".text\n"
    ".globl bare\n"
    ".type bare, @function\n"
    "bare: ret\n");

static __attribute__((noinline)) void hidden(void) {
  capture();
  __asm__ volatile("");
}

int main(void) {
  hidden();
  return 0;
}
