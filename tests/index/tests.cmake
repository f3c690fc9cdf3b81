# SPDX-License-Identifier: BSD-2-Clause
# Over 300 kernels: one of the first to begin.
set_tests_properties(test_put PROPERTIES COST 80)
target_sources(test_put PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/index/put_model.c)
