# SPDX-License-Identifier: BSD-2-Clause
# Removes what `cmake --install` put there, by the list that it left in the build
# tree, and folders that are empty then. Run with cmake -D BUILD=... -P.
# cpack leaves lists of components there, too, of files in its packages: on this
# system they may belong to others.
set(lists ${BUILD}/install_manifest.txt)
if(NOT EXISTS ${lists})
  message(FATAL_ERROR "${BUILD} has no list of installed files")
endif()
set(folders)
set(count 0)
foreach(list IN LISTS lists)
  file(STRINGS ${list} files)
  foreach(file IN LISTS files)
    set(path "$ENV{DESTDIR}${file}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      file(REMOVE "${path}")
      math(EXPR count "${count} + 1")
    endif()
    get_filename_component(folder "${path}" DIRECTORY)
    list(APPEND folders "${folder}")
  endforeach()
  file(REMOVE ${list})
endforeach()

# Folders of this project alone: others are the system's.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  while(folder MATCHES "/(include|doc|cmake)/(lib)?gpu(graph|array)")
    file(GLOB left LIST_DIRECTORIES ON "${folder}/*" "${folder}/.*")
    if(left)
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
message(STATUS "removed ${count} files")
