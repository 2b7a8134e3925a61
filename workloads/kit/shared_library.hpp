// A shared library that is loaded when it is needed: whoever does not need it neither has it nor waits for it.
#pragma once

#include <dlfcn.h>

#include <string>

namespace kit {

class SharedLibrary {
 public:
  // Stays loaded to the end of the process.
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) note_problem();
  }

  // Sets `function` to the library's function of that name. Does nothing after a failure.
  template <typename Function>
  void get(const char* name, Function*& function) {
    if (!problem_.empty()) return;
    void* found = dlsym(handle_, name);
    if (found == nullptr) note_problem();
    function = reinterpret_cast<Function*>(found);
  }

  const std::string& problem() const { return problem_; }  // empty: everything was found

 private:
  void note_problem() {
    const char* said = dlerror();
    problem_ = said != nullptr ? said : "unknown error";
  }

  void* handle_;
  std::string problem_;
};

}  // namespace kit
