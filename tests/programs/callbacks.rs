// MPI called by Rust: from a generic function, a closure, and a callback that C's qsort calls.
use std::os::raw::{c_int, c_void};

extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut u8) -> c_int;
    fn MPI_Finalize() -> c_int;
    fn meet() -> c_int;
    fn qsort(base: *mut c_void, n: usize, size: usize, compare: extern "C" fn(*const c_void, *const c_void) -> c_int);
}

fn many<F: Fn()>(times: usize, each: F) {
    for _ in 0..times {
        each();
    }
}

extern "C" fn compare(a: *const c_void, b: *const c_void) -> c_int {
    unsafe {
        meet();
        *(a as *const c_int) - *(b as *const c_int)
    }
}

fn main() {
    let mut two: [c_int; 2] = [2, 1];
    unsafe {
        MPI_Init(std::ptr::null_mut(), std::ptr::null_mut());
        many(5, || {
            meet();
        });
        qsort(two.as_mut_ptr() as *mut c_void, 2, 4, compare);
        MPI_Finalize();
    }
    println!("{} {}", two[0], two[1]);
}
