# SPDX-License-Identifier: BSD-2-Clause
foreach(test IN ITEMS test_fuzz_views test_ranks)
  foreach(source IN ITEMS view_model view_calls view_index)
    target_sources(${test}
      PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/array/${source}.c)
  endforeach()
endforeach()
