/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL status codes as names and as GA_* codes. */
#include "support/device.h"

#include <string.h>

#include "ocl/ocl.h"

static void codes_have_names(void **state) {
  (void)state;
  assert_string_equal(ga__status_name(CL_SUCCESS), "CL_SUCCESS");
  assert_string_equal(ga__status_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
  assert_string_equal(ga__status_name(-4711), "CL_?(-4711)");
  for (cl_int s = CL_INVALID_DEVICE_PARTITION_COUNT; s <= 0; s++) {
    int is_gap = s < -19 && s > -30;

    assert_int_equal(strncmp(ga__status_name(s), "CL_?", 4) == 0, is_gap);
  }
}

static void failures_name_the_call(void **state) {
  (void)state;
  assert_code(GA_MEMORY_ERROR,
              ga__fail_status("clThis", CL_MEM_OBJECT_ALLOCATION_FAILURE));
  assert_message(GA_MEMORY_ERROR, "clThis: CL_MEM_OBJECT_ALLOCATION_FAILURE");
  assert_code(GA_MEMORY_ERROR, ga__fail_status("c", CL_OUT_OF_RESOURCES));
  assert_code(GA_MEMORY_ERROR, ga__fail_status("c", CL_OUT_OF_HOST_MEMORY));
  assert_code(GA_IMPL_ERROR, ga__fail_status("c", CL_BUILD_PROGRAM_FAILURE));
  assert_code(GA_NODEV_ERROR, ga__fail_status("c", CL_DEVICE_NOT_FOUND));
  assert_code(GA_NODEV_ERROR, ga__fail_status("c", -1001));
  assert_code(GA_DEVSUP_ERROR, ga__fail_status("c", CL_COMPILER_NOT_AVAILABLE));
  assert_code(GA_VALUE_ERROR, ga__fail_status("c", CL_INVALID_WORK_GROUP_SIZE));
  assert_code(GA_IMPL_ERROR, ga__fail_status("c", CL_INVALID_MEM_OBJECT));
}

static cl_int that_call(int a, int b) {
  return a + b;
}

static void the_text_is_cut_at_the_bracket(void **state) {
  (void)state;
  assert_ok(GA_CL(that_call(1, -1)));
  assert_code(GA_IMPL_ERROR, GA_CL(that_call(-30, -8)));
  assert_string_equal(gpucontext_error(NULL, GA_IMPL_ERROR),
                      "that_call: CL_INVALID_MEM_OBJECT");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_have_names),
      cmocka_unit_test(failures_name_the_call),
      cmocka_unit_test(the_text_is_cut_at_the_bracket),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
