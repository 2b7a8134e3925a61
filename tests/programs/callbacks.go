// MPI called by Go: through cgo from stacks that grow and move, and from a function that C calls back.
package main

/*
#include <mpi.h>
#include <stdlib.h>
int meet(void);
int compare(void *, void *);
static void sort_two(int *two) { qsort(two, 2, sizeof(int), (int (*)(const void *, const void *))compare); }
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

func init() { runtime.LockOSThread() }

//export compare
func compare(a, b unsafe.Pointer) C.int {
	C.meet()
	return *(*C.int)(a) - *(*C.int)(b)
}

func deep(levels int) {
	var room [1024]byte // a goroutine's stack grows, and moves
	if levels > 0 {
		deep(levels - 1)
	} else {
		C.meet()
	}
	room[levels%len(room)]++
}

func main() {
	two := [2]C.int{2, 1}
	C.MPI_Init(nil, nil)
	for i := 0; i < 5; i++ {
		deep(100 * i)
	}
	C.sort_two(&two[0])
	runtime.GC()
	C.MPI_Finalize()
	fmt.Println(two[0], two[1])
}
