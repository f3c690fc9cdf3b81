# SPDX-License-Identifier: BSD-2-Clause
# Files of values, judged by Python's safetensors.
if(TARGET test_safetensors)
  gg_test(safetensors_python "text;device"
    ${CMAKE_CURRENT_LIST_DIR}/check_safetensors.sh
    $<TARGET_FILE:test_safetensors> ${PROJECT_SOURCE_DIR})
endif()

foreach(name test_save test_save_damaged)
  target_sources(${name} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/learner.c)
endforeach()
