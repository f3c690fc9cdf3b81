# SPDX-License-Identifier: BSD-2-Clause
# These compile a few hundred kernels when the caches are empty, mostly the same
# ones: together they would compile them twice.
set_tests_properties(test_reference test_values test_saved_cases
  test_value_grads PROPERTIES TIMEOUT ${test_timeout} RESOURCE_LOCK op_cases)
set_tests_properties(test_reference PROPERTIES COST 90)
set_tests_properties(test_values test_saved_cases test_value_grads
  PROPERTIES COST 60)
