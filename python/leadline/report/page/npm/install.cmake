# Puts what the page takes from npm into OUT, as package-lock.json pins it (version and integrity). Run at every build;
# with nothing to do it only compares two small files. Never fails the build: without it the page has every table, but
# charts that need uPlot are left out, and both the build and the page say so.
#
#   cmake -DPLACED=... -DOUT=... -P install.cmake
#
# PLACED: where an earlier build put it in the source tree (an sdist brings it along): then npm is not asked.
set(lock ${CMAKE_CURRENT_LIST_DIR}/package-lock.json)
set(names uPlot.js uPlot.css uPlot.LICENSE)

function(is_current folder result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(name ${names} package-lock.json)
    if(NOT EXISTS ${folder}/${name})
      return()
    endif()
  endforeach()
  file(SHA256 ${folder}/package-lock.json theirs)
  file(SHA256 ${lock} ours)
  if(theirs STREQUAL ours)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

function(without_charts reason)
  file(REMOVE_RECURSE ${OUT})
  message(WARNING "uPlot could not be had from npm: ${reason}\n"
                  "Leadline is built without it: HTML pages will have all tables but not all charts. "
                  "Once npm can be reached, build again; only this step is repeated.")
endfunction()

is_current(${OUT} current)
if(current)
  return()
endif()
is_current(${PLACED} current)
if(current)
  foreach(name ${names} package-lock.json)
    configure_file(${PLACED}/${name} ${OUT}/${name} COPYONLY)
  endforeach()
  return()
endif()

find_program(npm NAMES npm)
if(NOT npm)
  without_charts("there is no npm here")
  return()
endif()
file(REMOVE_RECURSE ${OUT})
foreach(name package.json package-lock.json)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name} ${OUT}/npm/${name} COPYONLY)
endforeach()
execute_process(
  COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000
  WORKING_DIRECTORY ${OUT}/npm TIMEOUT 180
  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
set(uplot ${OUT}/npm/node_modules/uplot)
if(NOT code STREQUAL "0" OR NOT EXISTS ${uplot}/dist/uPlot.iife.min.js)
  string(STRIP "${said}" said)
  without_charts("npm ci ended with ${code}\n${said}")
  return()
endif()
configure_file(${uplot}/dist/uPlot.iife.min.js ${OUT}/uPlot.js COPYONLY)
configure_file(${uplot}/dist/uPlot.min.css ${OUT}/uPlot.css COPYONLY)
configure_file(${uplot}/LICENSE ${OUT}/uPlot.LICENSE COPYONLY)
configure_file(${lock} ${OUT}/package-lock.json COPYONLY)
file(REMOVE_RECURSE ${OUT}/npm)
