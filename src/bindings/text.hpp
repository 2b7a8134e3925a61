// Conversion of strings between Python and C++, in place of nanobind's, because names in traces and file names may be
// any bytes.
//   From Python: in the file system's encoding, so that any path that Python names can be opened.
//   To Python: UTF-8; other bytes become \xNN, so that every string in a trace can be printed.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    PyObject* bytes = PyUnicode_EncodeFSDefault(source.ptr());
    if (!bytes) {
      PyErr_Clear();
      return false;
    }
    value.assign(PyBytes_AsString(bytes), static_cast<size_t>(PyBytes_Size(bytes)));
    Py_DECREF(bytes);
    return true;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  }
};

}  // namespace nanobind::detail

namespace leadline::bindings {

// A path that will be opened again.
inline nanobind::object path_to_python(const std::string& path) {
  return nanobind::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

// Text that is valid as an exception's message.
inline std::string printable(const std::string& text) {
  const auto decoded = nanobind::steal<nanobind::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  Py_ssize_t size = 0;
  const char* utf8 = decoded.ptr() ? PyUnicode_AsUTF8AndSize(decoded.ptr(), &size) : nullptr;
  return utf8 ? std::string(utf8, static_cast<size_t>(size)) : "(message is not valid text)";
}

}  // namespace leadline::bindings
