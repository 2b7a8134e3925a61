# Installs Leadline into a prefix for all users of a machine. Run by `cmake --install`, with
#
#   source, built           the source tree and the folder it was built in
#   python, python_version  the interpreter that commands will run with, and X.Y of it
#   bundle                  whether the packages that Leadline needs go into the prefix, too
#
# Everything is below the prefix, and nothing outside is written: removing the prefix removes Leadline.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(modules lib/python${python_version}/site-packages)
set(packages lib/leadline/packages)  # apart, so that the module file's PYTHONPATH gives programs nothing but leadline

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    string(JOIN " " words ${ARGN})
    message(FATAL_ERROR "${words}: ended with ${failed}")
  endif()
endfunction()

file(STRINGS ${source}/python/leadline/__init__.py version REGEX "^__version__")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" version "${version}")

# What is compiled, and data.
foreach(component native share)
  run(${CMAKE_COMMAND} --install ${built} --component ${component} --prefix ${CMAKE_INSTALL_PREFIX}/${modules})
endforeach()

# The Python package. Places in the source tree where ./dev puts compiled parts are left out, and links are followed.
set(package ${CMAKE_INSTALL_PREFIX}/${modules}/leadline)
file(INSTALL ${source}/python/leadline/ DESTINATION ${package}
     PATTERN "__pycache__" EXCLUDE PATTERN "_core*.so" EXCLUDE PATTERN "from_npm" EXCLUDE
     REGEX "/python/leadline/(lib|share|segments|fieldio)$" EXCLUDE)
foreach(part segments fieldio)
  get_filename_component(folder ${source}/python/leadline/${part} REALPATH)
  file(INSTALL ${folder}/ DESTINATION ${package}/${part} PATTERN "__pycache__" EXCLUDE)
endforeach()
if(bundle)
  run(${python} ${source}/tools/install/packages.py ${source}/pyproject.toml ${root}/${packages})
else()
  execute_process(COMMAND ${python} -c "import click, rich, nanoarrow, elftools" ERROR_QUIET RESULT_VARIABLE missing)
  if(missing)
    message(WARNING "${python} lacks a package that Leadline needs (click, rich, nanoarrow, pyelftools). Install them "
                    "for it, or configure with -DLEADLINE_BUNDLE=ON to have them in the prefix.")
  endif()
endif()
# Users may not write there, and would compile all of it at each start.
set(without_destdir "")
if(NOT "$ENV{DESTDIR}" STREQUAL "")
  set(without_destdir -s "$ENV{DESTDIR}" -p /)
endif()
run(${CMAKE_COMMAND} -E env --unset=PYTHONPYCACHEPREFIX ${python} -m compileall -q -j 0 ${without_destdir} ${root}/${modules}/leadline)

# Commands.
file(INSTALL ${built}/leadline-exec DESTINATION ${CMAKE_INSTALL_PREFIX}/bin USE_SOURCE_PERMISSIONS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/leadline.in ${root}/bin/leadline @ONLY NEWLINE_STYLE UNIX)
file(CHMOD ${root}/bin/leadline PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                            WORLD_EXECUTE)

# Module files: one folder for Lmod and Environment Modules, of which each takes the form that it prefers.
configure_file(${CMAKE_CURRENT_LIST_DIR}/module.lua.in ${root}/share/modulefiles/leadline/${version}.lua @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/module.tcl.in ${root}/share/modulefiles/leadline/${version} @ONLY)

# Completion, documentation.
run(${python} -B ${source}/tools/install/completions.py ${root}/share)
file(INSTALL ${source}/README.md ${source}/CHANGELOG.md ${source}/LICENSE ${source}/docs
     DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/leadline)
if(EXISTS ${source}/build/site/index.html)  # ./dev docs
  file(INSTALL ${source}/build/site/ DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/leadline/html)
endif()
