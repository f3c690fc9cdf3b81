/* SPDX-License-Identifier: BSD-2-Clause */
/* The same bad operands for every family of kernels: each refuses them with
 * the same code and with a message that has the same values. */
#include "support/device.h"

#include <gpuarray/device.h>
#include <gpuarray/index.h>
#include <gpuarray/random.h>
#include <gpuarray/reduction.h>
#include <gpuarray/rows.h>

#include <string.h>

#include "array/elemwise_parts.h"
#include "array/operands.h"

static GpuArray good_in, good_out, good_sums, number; /* 2 x 3, 2 x 1, 2 */
static const size_t dims[2] = {2, 3}, two = 2;
static const unsigned char reduced[2] = {0, 1};

/* --- the families: a result and an input --- */

static const gpuelemwise_arg args[] = {{"o", GA_FLOAT, GE_WRITE},
                                       {"i", GA_FLOAT, GE_READ}};

static int prepare_elemwise(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  GpuElemwise *ge;

  assert_ok(
      ga__elemwise_new(&ge, test_context(), NULL, "o = i", 2, args, GE_VECTOR));
  int err = GpuElemwise_prepare(l, ge, (void *[]){o, i}, 0);
  GpuElemwise_free(ge);
  return err;
}

static int call_elemwise(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  GpuElemwise *ge;

  *l = NULL;
  assert_ok(
      ga__elemwise_new(&ge, test_context(), NULL, "o = i", 2, args, GE_VECTOR));
  int err = GpuElemwise_call(ge, (void *[]){o, i}, 0);
  GpuElemwise_free(ge);
  return err;
}

static int prepare_reduce(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  const GpuReductionSpec spec = {.op = GA_REDUCE_SUM,
                                 .acc = GA_FLOAT,
                                 .n_in = 1,
                                 .in = &args[1],
                                 .n_post = 1,
                                 .post_args = &args[0]};
  GpuReduction *r;

  assert_ok(GpuReduction_new(&r, test_context(), &spec));
  int err = GpuReduction_prepare(l, r, 2, dims, reduced, (void *[]){i},
                                 (void *[]){o});
  GpuReduction_free(r);
  return err;
}

static int prepare_rows(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  const GpuRowsPhase phase = {"s = i; o = i", NULL};
  const GpuRowsReduce sum = {"s", GA_REDUCE_SUM, GA_FLOAT};
  const GpuRowsSpec spec = {.n_phases = 1,
                            .phases = &phase,
                            .n_reduce = 1,
                            .reduce = &sum,
                            .n_args = 2,
                            .args = args};
  GpuRows *r;

  assert_ok(GpuRows_new(&r, test_context(), &spec));
  int err = GpuRows_prepare(l, r, 2, dims, reduced, (void *[]){o, i}, NULL);
  GpuRows_free(r);
  return err;
}

static int prepare_take(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  return GpuArray_take_prepare(l, o, i, &number, 0);
}

static int prepare_gather(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  GpuArray places;

  assert_ok(
      GpuArray_zeros(&places, test_context(), GA_INT, 2, dims, GA_C_ORDER));
  int err = GpuArray_gather_prepare(l, o, i, &places, 0);
  GpuArray_clear(&places);
  return err;
}

static int prepare_put(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  return GpuArray_put_prepare(l, o, &number, i, 0, GA_PUT_SET);
}

static int prepare_where(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  return GpuArray_where_prepare(l, o, &good_in, &good_in, i);
}

/* Probabilities, with a result of the inputs' dtype. */
static int prepare_binomial(GpuLaunch **l, GpuArray *o, GpuArray *i) {
  return GpuRandom_binomial_prepare(l, o, &good_in, &good_in, i);
}

/* What a family takes where others refuse: an input of any dtype, an input
 * whose sizes decide on those of the result, more dimensions, a result of any
 * dtype or shape; and whether a result decides on the sizes of inputs. */
enum {
  ANY_TYPE = 1,
  ANY_SIZE = 2,
  ANY_RANK = 4,
  ANY_RESULT = 8,
  ANY_SHAPE = 16,
  LEADS = 32
};

static const struct {
  const char *name;
  int (*prepare)(GpuLaunch **l, GpuArray *out, GpuArray *in);
  int takes;
} families[] = {
    {"elemwise", prepare_elemwise, LEADS},
    {"elemwise, called", call_elemwise, LEADS},
    {"reduce", prepare_reduce, 0},
    {"rows", prepare_rows, 0},
    {"take", prepare_take, ANY_TYPE | ANY_SIZE | ANY_RANK | ANY_RESULT},
    {"gather", prepare_gather, ANY_TYPE | ANY_SIZE | ANY_RANK | ANY_RESULT},
    {"put", prepare_put, ANY_RESULT | ANY_SHAPE},
    {"where", prepare_where, ANY_RANK},
    {"binomial", prepare_binomial, ANY_RESULT | LEADS},
};

/* --- what is wrong with an array --- */

typedef enum wrong {
  MISSING,
  CLEARED,
  TYPE,
  FOREIGN,
  ODD,
  RANK,
  SIZE,
  FIXED,
  WRONGS
} wrong;

static const struct {
  int code;
  const char *part;
  int input, result; /* families that take it */
  const char *leading;
} refusals[WRONGS] = {
    [MISSING] = {GA_INVALID_ERROR, "", 0, 0, NULL},
    [CLEARED] = {GA_INVALID_ERROR, "", 0, 0, NULL},
    [TYPE] = {GA_VALUE_ERROR, "expected float32, got int32", ANY_TYPE,
              ANY_RESULT, NULL},
    [FOREIGN] = {GA_VALUE_ERROR, "of another context", 0, 0, NULL},
    [ODD] = {GA_UNALIGNED_ERROR, "offset 1: elements are not aligned for", 0, 0,
             NULL},
    [RANK] = {GA_VALUE_ERROR, "expected 2 dimensions, got 3", ANY_RANK,
              ANY_SHAPE, "expected 3 dimensions, got 2"},
    [SIZE] = {GA_VALUE_ERROR, "dim 0: expected 2, got 5", ANY_SIZE, ANY_SHAPE,
              "dim 0: expected 5, got 2"},
    [FIXED] = {GA_READONLY_ERROR, "not writeable", 0, 0, NULL},
};

/* A copy of `good` with one thing wrong; `store` has room for it. */
static GpuArray *spoil(GpuArray *store, const GpuArray *good, wrong w,
                       gpucontext *other) {
  size_t sizes[3] = {good->dimensions[0], good->dimensions[1], 1};

  memset(store, 0, sizeof *store);
  if (w == MISSING)
    return NULL;
  if (w == CLEARED)
    return store;
  if (w == SIZE)
    sizes[0] = 5;
  assert_ok(GpuArray_zeros(store, w == FOREIGN ? other : test_context(),
                           w == TYPE ? GA_INT : GA_FLOAT, w == RANK ? 3 : 2,
                           sizes, GA_C_ORDER));
  if (w == ODD) {
    store->offset = 1;
    store->flags &= ~GA_ALIGNED;
  }
  if (w == FIXED)
    store->flags &= ~GA_WRITEABLE;
  return store;
}

static void check_refusal(size_t f, int is_result, wrong w, gpucontext *other) {
  GpuArray *const good_result =
      strcmp(families[f].name, "reduce") == 0 ? &good_sums : &good_out;
  const int leads = is_result && (families[f].takes & LEADS);
  GpuArray store, *bad;
  GpuLaunch *l = NULL;

  print_message("  %s: %s %d\n", families[f].name,
                is_result ? "result" : "input", (int)w);
  bad = spoil(&store, is_result ? good_result : &good_in, w, other);
  assert_code(refusals[w].code,
              families[f].prepare(&l, is_result ? bad : good_result,
                                  is_result ? &good_in : bad));
  assert_message(refusals[w].code, leads && refusals[w].leading != NULL
                                       ? refusals[w].leading
                                       : refusals[w].part);
  assert_null(l);
  GpuArray_clear(&store);
}

static void test_same_refusals(void **state) {
  gpucontext *other;

  (void)state;
  assert_ok(
      GpuArray_zeros(&good_in, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&good_out, test_context(), GA_FLOAT, 2, dims, GA_C_ORDER));
  assert_ok(GpuArray_zeros(&good_sums, test_context(), GA_FLOAT, 2,
                           (size_t[]){2, 1}, GA_C_ORDER));
  assert_ok(
      GpuArray_zeros(&number, test_context(), GA_INT, 1, &two, GA_C_ORDER));
  assert_ok(gpucontext_open(&other, NULL));
  for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    const int takes = families[f].takes;

    for (int w = MISSING; w < WRONGS; w++) {
      if (w != FIXED && !(refusals[w].input & takes))
        check_refusal(f, 0, (wrong)w, other);
      if (!(refusals[w].result & takes))
        check_refusal(f, 1, (wrong)w, other);
    }
  }
  gpucontext_deref(other);
  GpuArray_clear(&good_in);
  GpuArray_clear(&good_out);
  GpuArray_clear(&good_sums);
  GpuArray_clear(&number);
}

/* --- what is wrong with a description --- */

static int new_elemwise(const gpuelemwise_arg *a) {
  const gpuelemwise_arg all[] = {args[0], args[1], *a};
  GpuElemwise *ge;
  int err =
      ga__elemwise_new(&ge, test_context(), NULL, "o = i", 3, all, GE_VECTOR);

  GpuElemwise_free(ge);
  return err;
}

static int new_reduce(const gpuelemwise_arg *a) {
  const gpuelemwise_arg in[] = {args[1], *a};
  const GpuReductionSpec spec = {.op = GA_REDUCE_SUM,
                                 .acc = GA_FLOAT,
                                 .map = "v = i",
                                 .n_in = 2,
                                 .in = in,
                                 .n_post = 1,
                                 .post_args = &args[0]};
  GpuReduction *r;
  int err = GpuReduction_new(&r, test_context(), &spec);

  GpuReduction_free(r);
  return err;
}

static int new_rows(const gpuelemwise_arg *a) {
  const gpuelemwise_arg all[] = {args[0], args[1], *a};
  const GpuRowsPhase phase = {"o = i", NULL};
  const GpuRowsSpec spec = {
      .n_phases = 1, .phases = &phase, .n_args = 3, .args = all};
  GpuRows *r;
  int err = GpuRows_new(&r, test_context(), &spec);

  GpuRows_free(r);
  return err;
}

/* A value that is kept has a name, too. */
static int new_kept(const gpuelemwise_arg *a) {
  const GpuRowsPhase phase = {"o = i; k = i", NULL};
  const GpuRowsValue kept = {a->name, a->typecode};
  const GpuRowsSpec spec = {.n_phases = 1,
                            .phases = &phase,
                            .n_kept = 1,
                            .kept = &kept,
                            .n_args = 2,
                            .args = args};
  GpuRows *r;
  int err = GpuRows_new(&r, test_context(), &spec);

  GpuRows_free(r);
  return err;
}

static void test_same_descriptions(void **state) {
  static const char long_name[] =
      "a23456789b123456789c123456789d123456789e123456789f123456789g1";
  static const struct {
    gpuelemwise_arg arg;
    const char *part;
  } bad[] = {
      {{NULL, GA_FLOAT, GE_READ}, "\"\" is not a name"},
      {{"", GA_FLOAT, GE_READ}, "\"\" is not a name"},
      {{"1k", GA_FLOAT, GE_READ}, "\"1k\" is not a name"},
      {{"k k", GA_FLOAT, GE_READ}, "\"k k\" is not a name"},
      {{long_name, GA_FLOAT, GE_READ}, "a name of 61 bytes, at most 60"},
      {{"k", -1, GE_READ}, "k: type -1 is not supported"},
      {{"k", GA_FLOAT, GE_TAKE(0) | GE_READ},
       "k: what is read by index is nothing else as well"},
      {{"k", GA_FLOAT, GE_SCALAR | GE_WRITE}, "k: a scalar cannot be written"},
  };
  static int (*const makers[])(const gpuelemwise_arg *a) = {
      new_elemwise, new_reduce, new_rows, new_kept};

  (void)state;
  for (size_t m = 0; m < sizeof makers / sizeof makers[0]; m++) {
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
      if (makers[m] == new_kept && bad[i].arg.flags != GE_READ)
        continue;
      assert_code(GA_VALUE_ERROR, makers[m](&bad[i].arg));
      assert_message(GA_VALUE_ERROR, bad[i].part);
    }
  }
}

/* The longest name there may be. */
static void test_long_name(void **state) {
  static const char name[] =
      "a23456789b123456789c123456789d123456789e123456789f123456789g";

  (void)state;
  assert_ok(new_elemwise(&(gpuelemwise_arg){name, GA_FLOAT, GE_READ}));
}

static void test_unused_input(void **state) {
  (void)state;
  assert_code(GA_VALUE_ERROR, new_reduce(&(gpuelemwise_arg){"k", GA_FLOAT, 0}));
  assert_message(GA_VALUE_ERROR, "k: neither read nor written");
}

static void test_complex_by_index(void **state) {
  (void)state;
  assert_code(GA_UNSUPPORTED_ERROR,
              new_elemwise(&(gpuelemwise_arg){"k", GA_CFLOAT, GE_TAKE(0)}));
  assert_message(GA_UNSUPPORTED_ERROR, "k: complex64 cannot be read by index");
}

static void test_without_doubles(void **state) {
  static const int types[] = {GA_DOUBLE, GA_CDOUBLE, GA_FLOAT};
  gpudevice_caps *caps = (gpudevice_caps *)gpucontext_caps(test_context());
  const gpudevice_caps real = *caps;

  (void)state;
  caps->fp64 = 0;
  for (size_t i = 0; i < 3; i++) {
    const gpuelemwise_arg arg = {"k", types[i], GE_READ};
    const int err = ga__args_check(test_context(), 1, &arg);

    assert_int_equal(err, types[i] == GA_FLOAT ? GA_NO_ERROR : GA_DEVSUP_ERROR);
    if (err != GA_NO_ERROR)
      assert_message(GA_DEVSUP_ERROR, types[i] == GA_DOUBLE
                                          ? "k: the device has no float64"
                                          : "k: the device has no complex128");
  }
  *caps = real;
}

/* --- what is wrong with values of any dtype, random states, results --- */

static void test_any_dtype(void **state) {
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &two, GA_C_ORDER));
  assert_ok(ga__operand_check_array("k", &a, test_context(), GA_OPERAND_ANY));
  a.typecode = 4711;
  assert_code(GA_UNSUPPORTED_ERROR,
              ga__operand_check_array("k", &a, test_context(), GA_OPERAND_ANY));
  assert_message(GA_UNSUPPORTED_ERROR, "k: type 4711 is not supported");
  a.typecode = GA_FLOAT;
  GpuArray_clear(&a);
}

static void test_random_state(void **state) {
  static const gpuelemwise_arg arg = {"k", GA_FLOAT, GE_RANDOM_NORMAL};
  GpuArray a;

  (void)state;
  assert_code(GA_INVALID_ERROR, ga__operand_check(&arg, NULL, test_context()));
  assert_message(GA_INVALID_ERROR, "k: no array");
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &two, GA_C_ORDER));
  assert_code(GA_VALUE_ERROR, ga__operand_check(&arg, &a, test_context()));
  assert_message(GA_VALUE_ERROR, "k: expected a state of Philox");
  GpuArray_clear(&a);
}

/* A result may be an input that is read as it is, and nothing else. */
static void test_results_apart(void **state) {
  static const struct {
    int flags, code;
  } rows[] = {{GE_READ, GA_NO_ERROR},
              {GE_WRITE, GA_VALUE_ERROR},
              {GE_TAKE(0), GA_VALUE_ERROR}};
  GpuArray a;

  (void)state;
  assert_ok(GpuArray_zeros(&a, test_context(), GA_FLOAT, 1, &two, GA_C_ORDER));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const gpuelemwise_arg both[] = {args[0], {"k", GA_FLOAT, rows[i].flags}};

    assert_int_equal(ga__operands_check_apart(2, both, (void *[]){&a, &a}),
                     rows[i].code);
    if (rows[i].code != GA_NO_ERROR)
      assert_message(rows[i].code, "o: overlaps k");
  }
  GpuArray_clear(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_refusals),
      cmocka_unit_test(test_same_descriptions),
      cmocka_unit_test(test_long_name),
      cmocka_unit_test(test_unused_input),
      cmocka_unit_test(test_complex_by_index),
      cmocka_unit_test(test_without_doubles),
      cmocka_unit_test(test_any_dtype),
      cmocka_unit_test(test_random_state),
      cmocka_unit_test(test_results_apart),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
