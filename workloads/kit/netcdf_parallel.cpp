#include <mpi.h>

#include "kit/netcdf_file.hpp"

#ifdef LEADLINE_HAS_PNETCDF
#include <pnetcdf.h>

#include <algorithm>

#include "kit/netcdf_calls.hpp"
#include "kit/shared_library.hpp"

namespace kit {
namespace {

struct Calls {
  using Size = MPI_Offset;

  decltype(::ncmpi_create)* create;
  decltype(::ncmpi_open)* open;
  decltype(::ncmpi_close)* close;
  decltype(::ncmpi_strerror)* strerror;
  decltype(::ncmpi_def_dim)* def_dim;
  decltype(::ncmpi_def_var)* def_var;
  decltype(::ncmpi_put_att_text)* put_att_text;
  decltype(::ncmpi_put_att_longlong)* put_att_longlong;
  decltype(::ncmpi_get_att_longlong)* get_att_longlong;
  decltype(::ncmpi_set_fill)* set_fill;
  decltype(::ncmpi_enddef)* enddef;
  decltype(::ncmpi_inq_dimid)* inq_dimid;
  decltype(::ncmpi_inq_dimlen)* inq_dimlen;
  decltype(::ncmpi_inq_varid)* inq_varid;
  decltype(::ncmpi_inq_varndims)* inq_varndims;
  decltype(::ncmpi_inq_vardimid)* inq_vardimid;
  decltype(::ncmpi_get_vara_double_all)* get_vara_double;
  decltype(::ncmpi_put_vara_double_all)* put_vara_double;
  decltype(::ncmpi_put_vara_longlong_all)* put_vara_longlong;
  std::string problem;

  Calls();
};

Calls::Calls() {
  SharedLibrary library("libpnetcdf.so");
  library.get("ncmpi_create", create);
  library.get("ncmpi_open", open);
  library.get("ncmpi_close", close);
  library.get("ncmpi_strerror", strerror);
  library.get("ncmpi_def_dim", def_dim);
  library.get("ncmpi_def_var", def_var);
  library.get("ncmpi_put_att_text", put_att_text);
  library.get("ncmpi_put_att_longlong", put_att_longlong);
  library.get("ncmpi_get_att_longlong", get_att_longlong);
  library.get("ncmpi_set_fill", set_fill);
  library.get("ncmpi_enddef", enddef);
  library.get("ncmpi_inq_dimid", inq_dimid);
  library.get("ncmpi_inq_dimlen", inq_dimlen);
  library.get("ncmpi_inq_varid", inq_varid);
  library.get("ncmpi_inq_varndims", inq_varndims);
  library.get("ncmpi_inq_vardimid", inq_vardimid);
  library.get("ncmpi_get_vara_double_all", get_vara_double);
  library.get("ncmpi_put_vara_double_all", put_vara_double);
  library.get("ncmpi_put_vara_longlong_all", put_vara_longlong);
  problem = library.problem();
}

// What the file's data are read and written with; MPI_INFO_NULL where nothing is chosen. To be freed.
MPI_Info hints_of(const std::string& text) {
  if (text.empty()) return MPI_INFO_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(';', at), text.size());
    const std::string hint = text.substr(at, end - at);
    const size_t equals = hint.find('=');
    MPI_Info_set(info, hint.substr(0, equals).c_str(), hint.substr(equals + 1).c_str());
    at = end + 1;
  }
  return info;
}

}  // namespace

std::unique_ptr<NetcdfFile> open_netcdf_in_parallel(const std::string& path, Access access, const std::string& hints) {
  static const Calls calls;
  if (!calls.problem.empty()) {
    throw NetcdfError(path + ": PnetCDF cannot be loaded: " + calls.problem);
  }
  MPI_Info info = hints_of(hints);
  int id = 0;
  const int code = access == Access::create
                       ? calls.create(MPI_COMM_WORLD, path.c_str(), NC_CLOBBER | NC_64BIT_DATA, info, &id)
                       : calls.open(MPI_COMM_WORLD, path.c_str(), NC_NOWRITE, info, &id);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (code != NC_NOERR) throw NetcdfError(path + ": " + calls.strerror(code));
  return std::make_unique<NetcdfFileOf<Calls>>(calls, path, id);
}

}  // namespace kit

#else

std::unique_ptr<kit::NetcdfFile> kit::open_netcdf_in_parallel(const std::string& path, Access, const std::string&) {
  throw NetcdfError(path +
                    ": this program was built without PnetCDF for its MPI library (apt-get install libpnetcdf-dev, "
                    "which is for Debian's Open MPI only, and build it again)");
}

#endif
