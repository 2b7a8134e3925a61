// Frames of modules can be found in memory again, whatever was loaded and unloaded since they were met. The argument is
// a folder with first.so, second.so and libpython3.so: shared objects of one layout that define `routine`.
#include "recorder/call_paths/modules.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "../native/check.hpp"

using namespace leadline;
using testing::check;
using testing::check_equal;

namespace {

std::string folder;
recorder::Modules modules;

struct Plugin {
  void* handle;
  uint64_t routine;
};

Plugin open(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW);
  check(handle != nullptr, path + " is opened");
  return {handle, reinterpret_cast<uint64_t>(handle ? dlsym(handle, "routine") : nullptr)};
}

// Lists the objects again, as a call from a new path does; nothing but an address in the program is asked for.
void list() { modules.find(reinterpret_cast<uint64_t>(&list)); }

void expect_found(const recorder::ModuleAddress& met, uint64_t address, const char* when) {
  uint64_t found = 0;
  check(modules.address_of(met.module, met.offset, &found), when);
  check_equal(found, address, when);
}

void expect_lost(const recorder::ModuleAddress& met, const char* when) {
  uint64_t found = 0;
  check(!modules.address_of(met.module, met.offset, &found), when);
}

void stays_when_others_come_and_go() {
  const Plugin first = open(folder + "/first.so");
  const recorder::ModuleAddress met = modules.find(first.routine);
  check(met.known, "the plugin is known");
  const Plugin second = open(folder + "/second.so");
  list();
  expect_found(met, first.routine, "after another was loaded");
  dlclose(second.handle);
  list();
  expect_found(met, first.routine, "after another was unloaded");
  check_equal(modules.find(first.routine).module, met.module, "it keeps its number");
  dlclose(first.handle);
  list();
  expect_lost(met, "after it was unloaded");
}

void stays_when_one_before_it_goes() {
  const Plugin first = open(folder + "/first.so"), second = open(folder + "/second.so");
  const recorder::ModuleAddress met_first = modules.find(first.routine), met = modules.find(second.routine);
  dlclose(first.handle);
  const Plugin third = open(folder + "/libpython3.so");
  list();
  expect_found(met, second.routine, "after one before it was unloaded and one after it loaded");
  expect_lost(met_first, "the one that was unloaded");
  dlclose(third.handle);
  dlclose(second.handle);
  list();
}

// The dynamic linker usually puts the second where the first was; the layouts are the same.
void another_in_its_place_is_another() {
  const Plugin first = open(folder + "/first.so");
  const recorder::ModuleAddress met = modules.find(first.routine);
  dlclose(first.handle);
  const Plugin second = open(folder + "/second.so");
  list();
  expect_lost(met, "another lies in its place");
  check(modules.find(second.routine).module != met.module, "the other has another number");
  dlclose(second.handle);
  list();
}

void stays_when_the_program_moves() {
  check(chdir(folder.c_str()) == 0, "the folder is there");
  const Plugin first = open("./first.so");
  const recorder::ModuleAddress met = modules.find(first.routine);
  check(chdir("/") == 0, "the program moves");
  const Plugin second = open(folder + "/second.so");
  list();
  expect_found(met, first.routine, "opened by a name relative to a folder that the program left");
  dlclose(second.handle);
  dlclose(first.handle);
  list();
}

void stays_an_interpreter() {
  const Plugin python = open(folder + "/libpython3.so");
  const recorder::ModuleAddress met = modules.find(python.routine);
  check(met.interpreter && modules.interprets(met.module), "an interpreter is known by its name");
  const Plugin second = open(folder + "/second.so");
  list();
  check(modules.find(python.routine).interpreter, "and stays one");
  dlclose(second.handle);
  dlclose(python.handle);
  list();
}

}  // namespace

int main(int, char** arguments) {
  folder = arguments[1];
  std::vector<char> text(1u << 16);
  recording::TableState state;
  uint64_t lost = 0;
  const recording::Backing backing{[](void*, char*, char*) { return true; }, nullptr};
  modules.attach({&state, text.data(), static_cast<uint32_t>(text.size()), backing, &lost});
  stays_when_others_come_and_go();
  stays_when_one_before_it_goes();
  another_in_its_place_is_another();
  stays_when_the_program_moves();
  stays_an_interpreter();
  return testing::result();
}
