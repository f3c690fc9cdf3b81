# SPDX-License-Identifier: BSD-2-Clause
# Over 300 kernels: one of the first to begin.
set_tests_properties(test_put PROPERTIES COST 80)
