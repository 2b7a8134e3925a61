#include "kit/netcdf_file.hpp"

#ifdef LEADLINE_HAS_NETCDF
#include <netcdf.h>

#include "kit/netcdf_calls.hpp"
#include "kit/shared_library.hpp"

namespace kit {
namespace {

struct Calls {
  using Size = size_t;

  decltype(::nc_create)* create;
  decltype(::nc_open)* open;
  decltype(::nc_close)* close;
  decltype(::nc_strerror)* strerror;
  decltype(::nc_def_dim)* def_dim;
  decltype(::nc_def_var)* def_var;
  decltype(::nc_put_att_text)* put_att_text;
  decltype(::nc_put_att_longlong)* put_att_longlong;
  decltype(::nc_get_att_longlong)* get_att_longlong;
  decltype(::nc_set_fill)* set_fill;
  decltype(::nc_enddef)* enddef;
  decltype(::nc_inq_dimid)* inq_dimid;
  decltype(::nc_inq_dimlen)* inq_dimlen;
  decltype(::nc_inq_varid)* inq_varid;
  decltype(::nc_inq_varndims)* inq_varndims;
  decltype(::nc_inq_vardimid)* inq_vardimid;
  decltype(::nc_get_vara_double)* get_vara_double;
  decltype(::nc_put_vara_double)* put_vara_double;
  decltype(::nc_put_vara_longlong)* put_vara_longlong;
  std::string problem;

  Calls() {
    SharedLibrary library("libnetcdf.so");
    library.get("nc_create", create);
    library.get("nc_open", open);
    library.get("nc_close", close);
    library.get("nc_strerror", strerror);
    library.get("nc_def_dim", def_dim);
    library.get("nc_def_var", def_var);
    library.get("nc_put_att_text", put_att_text);
    library.get("nc_put_att_longlong", put_att_longlong);
    library.get("nc_get_att_longlong", get_att_longlong);
    library.get("nc_set_fill", set_fill);
    library.get("nc_enddef", enddef);
    library.get("nc_inq_dimid", inq_dimid);
    library.get("nc_inq_dimlen", inq_dimlen);
    library.get("nc_inq_varid", inq_varid);
    library.get("nc_inq_varndims", inq_varndims);
    library.get("nc_inq_vardimid", inq_vardimid);
    library.get("nc_get_vara_double", get_vara_double);
    library.get("nc_put_vara_double", put_vara_double);
    library.get("nc_put_vara_longlong", put_vara_longlong);
    problem = library.problem();
  }
};

}  // namespace

std::unique_ptr<NetcdfFile> open_netcdf(const std::string& path, Access access) {
  static const Calls calls;
  if (!calls.problem.empty()) throw NetcdfError(path + ": the NetCDF library cannot be loaded: " + calls.problem);
  int id = 0;
  const int code = access == Access::create ? calls.create(path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &id)
                                            : calls.open(path.c_str(), NC_NOWRITE, &id);
  if (code != NC_NOERR) throw NetcdfError(path + ": " + calls.strerror(code));
  return std::make_unique<NetcdfFileOf<Calls>>(calls, path, id);
}

}  // namespace kit

#else

std::unique_ptr<kit::NetcdfFile> kit::open_netcdf(const std::string& path, Access) {
  throw NetcdfError(path +
                    ": this program was built without NetCDF (apt-get install libnetcdf-dev, and build it again)");
}

#endif
