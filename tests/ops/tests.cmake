# SPDX-License-Identifier: BSD-2-Clause
# These compile a few hundred kernels when the caches are empty.
set_tests_properties(test_values test_value_grads PROPERTIES TIMEOUT 600)
