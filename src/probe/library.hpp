// The MPI functions that the probe calls, of a library that it was not built with. Handles pass through registers: an
// int of MPICH's family is the lower half of a word (src/host/family.hpp has the details).
#pragma once

#include <cstdint>
#include <string>

#include "leadline/operations.hpp"

namespace leadline::probe {

using Handle = intptr_t;

struct Library {
  Handle world, byte, real, sum, bitwise_or, errors_return;
  int (*init)(int*, char***);
  int (*finalize)();
  int (*rank)(Handle, int*);
  int (*size)(Handle, int*);
  int (*split)(Handle, int, int, Handle*);
  int (*free)(Handle*);
  int (*set_errhandler)(Handle, Handle);
  int (*barrier)(Handle);
  int (*bcast)(void*, int, Handle, int, Handle);
  void* collectives[collectives::operation_count];  // by operation
  int (*error_string)(int, char*, int*);
  // Null if the library lacks them; a status is a buffer large enough for any.
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*send)(const void*, int, Handle, int, int, Handle);
  int (*recv)(void*, int, Handle, int, int, Handle, void*);
  int (*test)(Handle*, int*, void*);
  int (*wait)(Handle*, void*);
  // MPI_T; null if the library lacks it
  int (*tools_init)(int, int*);
  int (*control_index)(const char*, int*);
  int (*control_info)(int, char*, int*, int*, Handle*, Handle*, char*, int*, int*, int*);
  int (*control_handle)(int, void*, Handle*, int*);
  int (*control_read)(Handle, void*);
  Handle type_char;
  // Files; null if the library lacks them.
  Handle info_null;
  int mode;  // to make a file, read and write it, and delete it when it is closed
  int (*file_open)(Handle, const char*, int, Handle, Handle*);
  int (*file_info)(Handle, Handle*);
  int (*file_close)(Handle*);
  int (*info_size)(Handle, int*);
  int (*info_key)(Handle, int, char*);
  int (*info_value)(Handle, const char*, int, char*, int*);
};

// nullptr on success, else the problem. The functions are the library's own, whatever is preloaded.
const char* load(const std::string& path, Library* library);

// Then: the functions that a program would call, for timed operations and for the beginning and the end.
void take_those_in_front(const std::string& path, Library* library);

// The value of one of MPI_T's control variables, as text; false where there is none of that name.
bool read_control(const Library& library, const std::string& name, std::string* value);

}  // namespace leadline::probe
