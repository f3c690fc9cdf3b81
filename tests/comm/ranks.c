/* SPDX-License-Identifier: BSD-2-Clause */
/* Collectives between processes; every rank runs all tests. Started by mpirun
 * with any number of ranks. */
#include "support/device.h"

#include <gpuarray/collectives.h>
#include <gpuarray/device.h>

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"

static int n_ranks, rank;
static gpucomm *comm;

/* A communicator of all ranks. */
static gpucomm *join_all(void) {
  gpucommCliqueId id;
  gpucomm *c = NULL;

  if (rank == 0)
    assert_ok(gpucomm_gen_clique_id(test_context(), &id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  assert_ok(gpucomm_new(&c, test_context(), id, n_ranks, rank));
  return c;
}

/* --- data --- */

static const int dtypes[] = {
    GA_BOOL, GA_BYTE,  GA_UBYTE, GA_SHORT, GA_USHORT, GA_INT,    GA_UINT,
    GA_LONG, GA_ULONG, GA_HALF,  GA_FLOAT, GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};
#define DTYPES (sizeof dtypes / sizeof *dtypes)

/* What rank r has: small whole numbers, so that every order of summing gives
 * the same. To be freed. */
static void *data_of(int r, int typecode, size_t n) {
  void *p = calloc(n + 1, gpuarray_get_elsize(typecode));

  test_fill(p, typecode, n, 1, typecode == GA_BOOL ? 2 : 4, (uint32_t)r + 1);
  for (size_t i = 0; i < n && ga__dtype_kind(typecode) >= GA_KIND_FLOAT; i++)
    test_set(p, typecode, i, floor(test_get(p, typecode, i)));
  return p;
}

static double combine(int op, int typecode, double a, double b) {
  double v = op == GA_SUM    ? a + b
             : op == GA_PROD ? a * b
             : op == GA_MAX  ? (a > b ? a : b)
                             : (a < b ? a : b);

  return typecode == GA_BOOL ? v != 0 : v;
}

/* What all of them reduce to. To be freed. */
static void *reduced(int op, int typecode, size_t n) {
  unsigned char *acc = data_of(0, typecode, n);

  for (int r = 1; r < n_ranks; r++) {
    unsigned char *p = data_of(r, typecode, n);

    for (size_t i = 0; i < n; i++)
      test_set(acc, typecode, i,
               combine(op, typecode, test_get(acc, typecode, i),
                       test_get(p, typecode, i)));
    free(p);
  }
  return acc;
}

static int has_op(int typecode, int op) {
  return ga__dtype_kind(typecode) != GA_KIND_COMPLEX || op <= GA_PROD;
}

static void own_array(GpuArray *a, int typecode, size_t n) {
  void *p = data_of(rank, typecode, n);

  test_array(a, typecode, 1, &n, p);
  free(p);
}

/* Has the device room for an array of a part from each rank? */
static int fits(size_t part) {
  const gpudevice_caps *caps = gpucontext_caps(test_context());

  return part * (size_t)n_ranks * 16 <= caps->max_alloc_bytes;
}

/* --- what they do --- */

static void ranks_and_counts(void **state) {
  int n = -1, r = -1;

  (void)state;
  assert_ok(gpucomm_get_count(comm, &n));
  assert_ok(gpucomm_get_rank(comm, &r));
  assert_int_equal(n, n_ranks);
  assert_int_equal(r, rank);
  assert_ptr_equal(gpucomm_context(comm), test_context());
}

static void all_reduce_every_type(void **state) {
  const size_t sizes[] = {0, 1, 7, 1000};

  (void)state;
  for (size_t t = 0; t < DTYPES; t++) {
    for (int op = GA_SUM; op <= GA_MIN && has_op(dtypes[t], op); op++) {
      for (size_t s = op == GA_SUM ? 0 : 3; s < 4; s++) {
        void *want = reduced(op, dtypes[t], sizes[s]);
        GpuArray a, b;

        own_array(&a, dtypes[t], sizes[s]);
        assert_ok(GpuArray_zeros(&b, test_context(), dtypes[t], 1, &sizes[s],
                                 GA_C_ORDER));
        assert_ok(GpuArray_all_reduce(&a, &b, op, comm));
        test_array_equal(&b, want);
        assert_ok(GpuArray_all_reduce(&a, &a, op, comm)); /* in place */
        test_array_equal(&a, want);
        GpuArray_clear(&a);
        GpuArray_clear(&b);
        free(want);
      }
    }
  }
}

/* Several chunks, the last of them short. */
static void all_reduce_in_chunks(void **state) {
  const size_t n = ((size_t)5 << 17) + 3;
  void *want = reduced(GA_SUM, GA_CDOUBLE, n);
  GpuArray a;

  (void)state;
  own_array(&a, GA_CDOUBLE, n);
  assert_ok(GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
  free(want);
}

static void reduce_to_each_root(void **state) {
  const size_t sizes[] = {5, ((size_t)1 << 19) + 1};

  (void)state;
  for (int root = 0; root < n_ranks; root++) {
    for (int s = 0; s < 2; s++) {
      void *want = reduced(GA_MAX, GA_LONG, sizes[s]);
      void *own = data_of(rank, GA_LONG, sizes[s]);
      GpuArray a, b;

      own_array(&a, GA_LONG, sizes[s]);
      assert_ok(GpuArray_zeros(&b, test_context(), GA_LONG, 1, &sizes[s],
                               GA_C_ORDER));
      if (rank == root)
        assert_ok(GpuArray_reduce(&a, &b, GA_MAX, root, comm));
      else
        assert_ok(GpuArray_reduce_from(&a, GA_MAX, root, comm));
      test_array_equal(&a, own);
      if (rank == root)
        test_array_equal(&b, want);
      assert_ok(
          GpuArray_reduce(&a, rank == root ? &a : NULL, GA_MAX, root, comm));
      test_array_equal(&a, rank == root ? want : own);
      GpuArray_clear(&a);
      GpuArray_clear(&b);
      free(want);
      free(own);
    }
  }
}

static void reduce_scatter_parts(void **state) {
  const size_t sizes[] = {1, 5, ((size_t)1 << 18) + 1};

  (void)state;
  for (int s = 0; s < 3 && fits(sizes[s]); s++) {
    const size_t part = sizes[s], n = part * (size_t)n_ranks;
    unsigned char *want = reduced(GA_SUM, GA_CDOUBLE, n);
    const size_t off = part * 16 * (size_t)rank;
    GpuArray a, b;

    own_array(&a, GA_CDOUBLE, n);
    assert_ok(
        GpuArray_zeros(&b, test_context(), GA_CDOUBLE, 1, &part, GA_C_ORDER));
    assert_ok(GpuArray_reduce_scatter(&a, &b, GA_SUM, comm));
    test_array_equal(&b, want + off);
    GpuArray_clear(&b); /* in place: its own part of the source */
    assert_ok(gpucomm_reduce_scatter(a.data, 0, a.data, off, part, GA_CDOUBLE,
                                     GA_SUM, comm));
    {
      const ssize_t stride = 16;

      assert_ok(
          GpuArray_fromdata(&b, a.data, off, GA_CDOUBLE, 1, &part, &stride, 1));
      test_array_equal(&b, want + off);
    }
    GpuArray_clear(&a);
    GpuArray_clear(&b);
    free(want);
  }
}

static void all_gather_parts(void **state) {
  const size_t sizes[] = {1, 6, ((size_t)1 << 18) + 5};

  (void)state;
  for (int s = 0; s < 3 && fits(sizes[s]); s++) {
    const size_t part = sizes[s], n = part * (size_t)n_ranks, bytes = part * 16;
    unsigned char *want = malloc(n * 16);
    GpuArray a, b;

    for (int r = 0; r < n_ranks; r++) {
      void *p = data_of(r, GA_CDOUBLE, part);

      memcpy(want + (size_t)r * bytes, p, bytes);
      free(p);
    }
    own_array(&a, GA_CDOUBLE, part);
    assert_ok(
        GpuArray_zeros(&b, test_context(), GA_CDOUBLE, 1, &n, GA_C_ORDER));
    assert_ok(GpuArray_all_gather(&a, &b, comm));
    test_array_equal(&b, want);
    assert_ok(gpudata_memset(b.data, 0, 0));
    assert_ok(gpudata_move(b.data, (size_t)rank * bytes, a.data, 0, bytes));
    assert_ok(gpucomm_all_gather(b.data, (size_t)rank * bytes, b.data, 0, part,
                                 GA_CDOUBLE, comm));
    test_array_equal(&b, want);
    GpuArray_clear(&a);
    GpuArray_clear(&b);
    free(want);
  }
}

static void broadcast_from_each_root(void **state) {
  const size_t n = ((size_t)3 << 17) + 2;

  (void)state;
  for (int root = 0; root < n_ranks; root++) {
    void *want = data_of(root, GA_CDOUBLE, n);
    GpuArray a;

    own_array(&a, GA_CDOUBLE, n);
    assert_ok(GpuArray_broadcast(&a, root, comm));
    test_array_equal(&a, want);
    GpuArray_clear(&a);
    free(want);
  }
}

/* Arrays mean their elements in C order, whatever their strides are. */
static void strides_do_not_matter(void **state) {
  const size_t dims[2] = {3, 4};
  const ssize_t turned[2] = {1, 3}, gaps[2] = {-10, 2};
  void *own = data_of(rank, GA_INT, 12), *want = reduced(GA_SUM, GA_INT, 12);
  void *root = data_of(0, GA_INT, 12);
  GpuArray a, b;

  (void)state;
  test_array_strided(&a, GA_INT, 2, dims, rank % 2 ? turned : gaps, own);
  test_array_strided(&b, GA_INT, 2, dims, rank % 2 ? gaps : turned, own);
  assert_ok(GpuArray_all_reduce(&a, &b, GA_SUM, comm));
  test_array_equal(&b, want);
  assert_ok(GpuArray_broadcast(&a, 0, comm));
  test_array_equal(&a, root);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  free(own);
  free(want);
  free(root);
}

/* --- what goes wrong --- */

static void assert_still_works(void) {
  void *want = reduced(GA_SUM, GA_INT, 3);
  GpuArray a;

  own_array(&a, GA_INT, 3);
  assert_ok(GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  test_array_equal(&a, want);
  GpuArray_clear(&a);
  free(want);
}

static void mismatches_are_told_to_all(void **state) {
  const int last = rank == n_ranks - 1;
  GpuArray a;

  (void)state;
  if (n_ranks == 1)
    return;
  own_array(&a, GA_INT, last ? 3 : 4);
  assert_code(GA_VALUE_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  assert_message(GA_VALUE_ERROR, "all_reduce of 4 int32");
  assert_message(GA_VALUE_ERROR, "all_reduce of 3 int32");
  GpuArray_clear(&a);
  own_array(&a, last ? GA_FLOAT : GA_INT, 4);
  assert_code(GA_VALUE_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  assert_message(GA_VALUE_ERROR, "4 float32");
  GpuArray_clear(&a);
  own_array(&a, GA_INT, 4);
  assert_code(GA_VALUE_ERROR,
              GpuArray_all_reduce(&a, &a, last ? GA_MAX : GA_SUM, comm));
  assert_message(GA_VALUE_ERROR, "operation 2");
  assert_code(GA_VALUE_ERROR, last ? GpuArray_broadcast(&a, 0, comm)
                                   : GpuArray_all_reduce(&a, &a, GA_SUM, comm));
  assert_message(GA_VALUE_ERROR, "broadcast");
  GpuArray_clear(&a);
  assert_still_works();
}

/* A call that fails on one rank ends on the others at once. */
static void failures_are_told_to_all(void **state) {
  GpuArray a, b = {0};

  (void)state;
  own_array(&a, GA_INT, 4);
  if (rank == 0) {
    assert_code(GA_INVALID_ERROR, GpuArray_all_reduce(&a, &b, GA_SUM, comm));
  } else {
    assert_code(GA_COMM_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, comm));
    assert_message(GA_COMM_ERROR, "rank 0 failed");
    assert_non_null(strstr(gpucomm_error(NULL), "rank 0 failed"));
  }
  assert_code(rank == 0 ? GA_VALUE_ERROR : GA_COMM_ERROR,
              gpucomm_all_reduce(a.data, 0, a.data, 0, rank == 0 ? 5 : 4,
                                 GA_INT, GA_SUM, comm));
  assert_code(GA_VALUE_ERROR, gpucomm_all_reduce(a.data, 0, a.data, 4, 2,
                                                 GA_INT, GA_SUM, comm));
  assert_message(GA_VALUE_ERROR, "overlap");
  assert_code(GA_VALUE_ERROR, GpuArray_broadcast(&a, n_ranks, comm));
  assert_code(GA_VALUE_ERROR, GpuArray_all_reduce(&a, &a, 9, comm));
  assert_code(GA_INVALID_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, NULL));
  GpuArray_clear(&a);
  assert_still_works();
}

static void wrong_joins_are_told_to_all(void **state) {
  const int last = rank == n_ranks - 1;
  gpucommCliqueId id;
  gpucomm *c = NULL;

  (void)state;
  if (n_ranks == 1)
    return;
  for (int way = 0; way < 2; way++) {
    if (rank == 0)
      assert_ok(gpucomm_gen_clique_id(test_context(), &id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_code(
        GA_VALUE_ERROR,
        gpucomm_new(&c, test_context(), id,
                    way == 0 && last && n_ranks > 2 ? n_ranks - 1 : n_ranks,
                    last ? 0 : rank));
    assert_null(c);
  }
  assert_code(GA_VALUE_ERROR,
              gpucomm_new(&c, test_context(), id, n_ranks + 1, rank));
  assert_message(GA_VALUE_ERROR, "MPI has started");
  memset(&id, 0, sizeof id);
  assert_code(GA_VALUE_ERROR,
              gpucomm_new(&c, test_context(), id, n_ranks, rank));
  assert_code(GA_VALUE_ERROR, gpucomm_new(&c, test_context(), id, 2, 2));
  MPI_Barrier(MPI_COMM_WORLD);
  assert_still_works();
}

/* One rank does not come: the others wait no longer than they were told. */
static void waits_are_bounded(void **state) {
  GpuArray a;

  (void)state;
  if (n_ranks == 1)
    return;
  setenv("GPUARRAY_COMM_TIMEOUT", "0.5", 1);
  gpucomm *c = join_all();
  setenv("GPUARRAY_COMM_TIMEOUT", "30", 1);
  own_array(&a, GA_INT, 4);
  if (rank != 0) {
    const double start = MPI_Wtime();

    assert_code(GA_COMM_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, c));
    assert_message(GA_COMM_ERROR, "no answer for 0.5 s");
    assert_true(MPI_Wtime() - start < 20);
    assert_code(GA_COMM_ERROR, GpuArray_all_reduce(&a, &a, GA_SUM, c));
    assert_message(GA_COMM_ERROR, "lost before");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  GpuArray_clear(&a);
  gpucomm_free(c);
  assert_still_works();
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_and_counts),
      cmocka_unit_test(all_reduce_every_type),
      cmocka_unit_test(all_reduce_in_chunks),
      cmocka_unit_test(reduce_to_each_root),
      cmocka_unit_test(reduce_scatter_parts),
      cmocka_unit_test(all_gather_parts),
      cmocka_unit_test(broadcast_from_each_root),
      cmocka_unit_test(strides_do_not_matter),
      cmocka_unit_test(mismatches_are_told_to_all),
      cmocka_unit_test(failures_are_told_to_all),
      cmocka_unit_test(wrong_joins_are_told_to_all),
      cmocka_unit_test(waits_are_bounded),
  };

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  setenv("GPUARRAY_COMM_TIMEOUT", "30", 1);
  comm = join_all();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gpucomm_free(comm);
  test_context_drop(NULL);
  MPI_Finalize();
  return failed;
}
