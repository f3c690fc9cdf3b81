/* SPDX-License-Identifier: BSD-2-Clause */
/* Without a provider, collectives say so with the codes clients expect. */
#include "support/device.h"

#include <gpuarray/collectives.h>

#include <stdlib.h>

static void test_buffers(void **state) {
  gpucommCliqueId id = {{0}};
  gpucomm *comm = (gpucomm *)&id;
  int n;

  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR, gpucomm_new(&comm, NULL, id, 2, 1));
  assert_message(GA_UNSUPPORTED_ERROR, "rank 1 of 2");
  assert_null(comm);
  gpucomm_free(NULL);
  assert_null(gpucomm_context(NULL));
  assert_code(GA_DEVSUP_ERROR, gpucomm_gen_clique_id(NULL, &id));
  assert_non_null(gpucomm_error(NULL));
  assert_code(GA_DEVSUP_ERROR, gpucomm_get_count(NULL, &n));
  assert_code(GA_DEVSUP_ERROR, gpucomm_get_rank(NULL, &n));
  assert_code(GA_DEVSUP_ERROR,
              gpucomm_reduce(NULL, 0, NULL, 0, 1, GA_FLOAT, GA_SUM, 0, NULL));
  assert_code(GA_DEVSUP_ERROR,
              gpucomm_all_reduce(NULL, 0, NULL, 0, 1, GA_FLOAT, GA_SUM, NULL));
  assert_code(GA_DEVSUP_ERROR, gpucomm_reduce_scatter(NULL, 0, NULL, 0, 1,
                                                      GA_FLOAT, GA_SUM, NULL));
  assert_code(GA_DEVSUP_ERROR,
              gpucomm_broadcast(NULL, 0, 1, GA_FLOAT, 0, NULL));
  assert_code(GA_DEVSUP_ERROR,
              gpucomm_all_gather(NULL, 0, NULL, 0, 1, GA_FLOAT, NULL));
}

static void test_arrays(void **state) {
  GpuArray a = {0}, b = {0};

  (void)state;
  assert_code(GA_DEVSUP_ERROR, GpuArray_reduce_from(&a, GA_SUM, 0, NULL));
  assert_code(GA_DEVSUP_ERROR, GpuArray_reduce(&a, &b, GA_SUM, 0, NULL));
  assert_code(GA_DEVSUP_ERROR, GpuArray_all_reduce(&a, &b, GA_SUM, NULL));
  assert_code(GA_DEVSUP_ERROR, GpuArray_reduce_scatter(&a, &b, GA_SUM, NULL));
  assert_code(GA_DEVSUP_ERROR, GpuArray_broadcast(&a, 0, NULL));
  assert_code(GA_DEVSUP_ERROR, GpuArray_all_gather(&a, &b, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buffers),
      cmocka_unit_test(test_arrays),
  };

  setenv("GPUARRAY_MPI", "0", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
