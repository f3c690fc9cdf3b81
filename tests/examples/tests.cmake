# SPDX-License-Identifier: BSD-2-Clause
# The example programs; two of them do less work than by default.
set(fashion_data /usr/share/datasets/fashion-mnist)
if(TARGET example_check)
  gg_test(example_check "examples;device" example_check 50)
endif()
if(TARGET example_custom_op)
  gg_test(example_custom_op "examples;device" example_custom_op)
endif()
if(TARGET example_logistic)
  gg_test(example_logistic "examples;device" example_logistic)
endif()
if(TARGET example_fashion AND EXISTS ${fashion_data})
  gg_test(example_fashion "examples;device" example_fashion --epochs 1
    --data ${fashion_data}
    --report ${PROJECT_BINARY_DIR}/test-data/example_fashion/report.html)
endif()
foreach(name example_check example_custom_op example_logistic example_fashion)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES
      SKIP_REGULAR_EXPRESSION "no device: ")
  endif()
endforeach()
