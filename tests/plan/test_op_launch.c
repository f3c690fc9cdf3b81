/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops with kernels of their own: any number of them, with what they are told of
 * types, strides, offsets and numbers. */
#include <gpuarray/profile.h>
#include <stdlib.h>
#include <string.h>

#include "support/funcs.h"

static gg_graph *g;
static gg_func *f;
static GpuArray a, out, other;
static gg_var *x;
static const float six[6] = {1, 2, 3, 4, 5, 6};

static int setup(void **state) {
  (void)state;
  g = gg_graph_new(test_context());
  x = gg_input(g, "x", GA_FLOAT, 1);
  f = NULL;
  memset(&a, 0, sizeof a);
  memset(&out, 0, sizeof out);
  memset(&other, 0, sizeof other);
  return g == NULL;
}

static int teardown(void **state) {
  (void)state;
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  GpuArray_clear(&other);
  gg_func_free(f);
  gg_graph_free(g);
  return 0;
}

static void make(gg_var *y) {
  f = func_make(g,
                &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)});
}

static void run_on(GpuArray *in) {
  func_run(f, (GpuArray *[]){in}, (GpuArray *[]){&out});
}

/* a[first::step] as an array without memory of its own. */
static GpuArray part(GpuArray *whole, ssize_t first, ssize_t step) {
  GpuArray v;
  ssize_t stop = (ssize_t)whole->dimensions[0];

  assert_ok(GpuArray_index(&v, whole, &first, &stop, &step));
  return v;
}

static int shape_first(const gg_apply *node, const gg_dims *in,
                       const double *const *host, gg_dims *dims) {
  (void)host;
  for (unsigned int i = 0; i < node->n_out; i++)
    dims[i] = in[0];
  return GA_NO_ERROR;
}

static int infer_first(const gg_apply *node, gg_type *types) {
  for (unsigned int i = 0; i < node->n_out; i++)
    types[i] = *gg_var_type(node->in[0]);
  return GA_NO_ERROR;
}

/* --- 2 x of vectors, by a kernel that knows nothing but sizes --- */

static const int twice_types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
static const GpuKernelSpec twice = {
    .name = "twice",
    .code = "#include \"cluda.h\"\n"
            "KERNEL void twice(GLOBAL_MEM DTYPE_INPUT_0 *x,\n"
            "                  GLOBAL_MEM DTYPE_OUTPUT_0 *z, ga_size n) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n) {\n"
            "    WORK_INPUT_0 v = LOAD_INPUT_0(x[i]);\n"
            "    z[i] = WRITE_OUTPUT_0(v + v);\n"
            "  }\n"
            "}\n",
    .n_types = 3,
    .types = twice_types};

static int prepare_twice(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                         int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);

  GpuLaunch_scall(l, &twice, 1, p->in[0]->dimensions, 0,
                  (void *[]){p->in[0], p->out[0], p->in[0]->dimensions});
  return GpuLaunch_close(launch, l);
}

static const gg_op twice_op = {.name = "twice",
                               .kind = GG_OP_KERNEL,
                               .n_out = 1,
                               .half_ok = 1,
                               .c_order = 1,
                               .infer = infer_first,
                               .shape = shape_first,
                               .prepare = prepare_twice};

static gg_var *apply_twice(gg_var *v) {
  return gg_op_apply(NULL, &twice_op, NULL, 1, &v);
}

static void a_kernel_is_an_op(void **state) {
  (void)state;
  make(gg_add(apply_twice(gg_neg(x)), gg_f32(g, 1)));
  float_vector(&a, 6, six);
  run_on(&a);
  assert_floats(&out, (float[]){-1, -3, -5, -7, -9, -11}, 6);
  char *text = func_text(f);
  assert_non_null(strstr(text, "  twice"));
  free(text);
}

static void its_text_can_be_seen(void **state) {
  char *text = NULL;
  size_t bytes;
  FILE *file = open_memstream(&text, &bytes);

  (void)state;
  make(gg_exp(apply_twice(x)));
  float_vector(&a, 6, six);
  assert_ok(gg_func_print_kernels(f, file));
  fflush(file);
  assert_int_equal(bytes, 0);
  run_on(&a);
  assert_ok(gg_func_print_kernels(f, file));
  fclose(file);
  assert_non_null(strstr(text, "/* step 1: twice, kernel 1 of 1, by own */\n"
                               "#define DTYPE_INPUT_0 float\n"));
  assert_non_null(strstr(text, "KERNEL void twice("));
  assert_non_null(strstr(text, "/* step 2: map{exp}, kernel 1 of 1"));
  free(text);
}

/* Strides and offsets that the kernel cannot have are copied away; either may
 * come first, and both may come back. */
static void odd_arrays_are_copied(void **state) {
  const float padded[7] = {0, 1, 2, 3, 4, 5, 6};

  (void)state;
  make(apply_twice(x));
  float_vector(&a, 6, six);
  float_vector(&other, 7, padded);
  GpuArray odd = part(&a, 1, 2);
  GpuArray later = part(&other, 1, 1);
  for (int round = 0; round < 2; round++) {
    run_on(&a);
    assert_floats(&out, (float[]){2, 4, 6, 8, 10, 12}, 6);
    run_on(&later);
    assert_floats(&out, (float[]){2, 4, 6, 8, 10, 12}, 6);
    run_on(&odd);
    assert_floats(&out, (float[]){4, 8, 12}, 3);
  }
  assert_int_equal(func_stats(f).plans, 3);
  GpuArray_clear(&odd);
  GpuArray_clear(&later);
}

static void every_dtype_has_its_program(void **state) {
  static const int dtypes[] = {GA_HALF, GA_BFLOAT, GA_INT, GA_UBYTE, GA_FLOAT};
  unsigned char got[6 * 8], want[6 * 8], in[6 * 8];
  gg_func *h;

  (void)state;
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    gg_var *v = gg_input(g, "v", dtypes[k], 1);
    h = func_make(g, &(gg_func_spec){.inputs = GG_VARS(v),
                                     .outputs = GG_VARS(apply_twice(v))});
    for (size_t i = 0; i < 6; i++) {
      test_set(in, dtypes[k], i, six[i]);
      test_set(want, dtypes[k], i, 2 * (double)six[i]);
    }
    test_array(&a, dtypes[k], 1, (size_t[]){6}, in);
    func_run(h, (GpuArray *[]){&a}, (GpuArray *[]){&out});
    test_gather(&out, got);
    test_close(dtypes[k], got, want, 6, 0, 0);
    GpuArray_clear(&a);
    GpuArray_clear(&out);
    gg_func_free(h);
  }
}

/* 1,000 nodes of one op, one program. */
static void ops_of_a_class_share_a_program(void **state) {
  gpucontext_counters before, after;
  gg_var *v = x;

  (void)state;
  for (int i = 0; i < 1000; i++)
    v = apply_twice(gg_mul(v, gg_f32(g, 0.5f)));
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(v),
                                   .mode = GG_NO_REWRITE});
  float_vector(&a, 6, six);
  assert_ok(gpucontext_count(test_context(), &before));
  run_on(&a);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_floats(&out, six, 6);
  assert_true(after.programs_built + after.programs_loaded -
                  before.programs_built - before.programs_loaded <=
              2); /* ours, and that of mul */
  assert_int_equal(func_stats(f).steps, 2000);
}

/* --- any strides, two kernels, two outputs over their inputs --- */

static const int axpy_types[] = {GA_BUFFER, GA_OFFSET, GA_SSIZE, GA_BUFFER,
                                 GA_OFFSET, GA_FLOAT,  GA_SIZE};
/* z = x + c, for any stride of x. */
static const GpuKernelSpec shift = {
    .name = "shift",
    .code = "KERNEL void shift(GLOBAL_MEM char *x, ga_size xo, ga_ssize xs,\n"
            "                  GLOBAL_MEM char *z, ga_size zo, ga_float c,\n"
            "                  ga_size n) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n)\n"
            "    ((GLOBAL_MEM ga_float *)(z + zo))[i] =\n"
            "      *(GLOBAL_MEM ga_float *)(x + xo + (ga_ssize)i * xs) + c;\n"
            "}\n",
    .n_types = 7,
    .types = axpy_types};

static int prepare_shifts(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                          int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  float c[2] = {10, -10};

  for (unsigned int i = 0; i < 2; i++)
    GpuLaunch_scall(l, &shift, 1, p->in[i]->dimensions, 0,
                    (void *[]){p->in[i], NULL, p->in[i]->strides, p->out[i],
                               NULL, &c[i], p->in[i]->dimensions});
  GpuLaunch_cost(l, 16.0 * (double)p->in[0]->dimensions[0], 2);
  return GpuLaunch_close(launch, l);
}

static int destroys_same(const gg_apply *node, unsigned int which) {
  (void)node;
  return (int)which;
}

static const gg_op shifts_op = {.name = "shifts",
                                .kind = GG_OP_KERNEL,
                                .n_out = 2,
                                .infer = infer_first,
                                .shape = shape_first,
                                .destroys = destroys_same,
                                .prepare = prepare_shifts};

static gg_apply *apply_shifts(gg_var *v, gg_var *w) {
  return gg_var_owner(
      gg_op_apply(NULL, &shifts_op, NULL, 2, (gg_var *[]){v, w}));
}

static void strides_are_the_kernels_own(void **state) {
  gg_apply *s = apply_shifts(gg_slice(x, 0, GG_END, GG_END, -1), x);
  gpucontext_counters before, after;

  (void)state;
  make(gg_sub(s->out[0], s->out[1]));
  float_vector(&a, 6, six);
  run_on(&a);
  assert_ok(gpucontext_count(test_context(), &before));
  run_on(&a);
  assert_ok(gpucontext_count(test_context(), &after));
  assert_floats(&out, (float[]){25, 23, 21, 19, 17, 15}, 6);
  assert_int_equal(after.launches - before.launches, 3); /* nothing copied */
}

static void each_output_may_overwrite_an_input(void **state) {
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 1, (size_t[]){6}, six);
  gg_apply *s = apply_shifts(v, w);

  (void)state;
  f = func_make(g, &(gg_func_spec){
                       .updates = GG_UPDATES({v, s->out[0]}, {w, s->out[1]})});
  func_run(f, NULL, NULL);
  func_run(f, NULL, NULL);
  assert_shared(v, (float[]){21, 22, 23, 24, 25, 26}, 6);
  assert_shared(w, (float[]){-19, -18, -17, -16, -15, -14}, 6);
  char *text = func_text(f);
  assert_non_null(strstr(text, "new v (in place)"));
  assert_non_null(strstr(text, "new w (in place)"));
  free(text);
}

/* --- an op without arrays: sizes and a number are known beforehand --- */

static const int eye_types[] = {GA_BUFFER, GA_SIZE, GA_SIZE, GA_SSIZE};
static const GpuKernelSpec eye = {
    .name = "eye",
    .code = "KERNEL void eye(GLOBAL_MEM DTYPE_OUTPUT_0 *a, ga_size n,\n"
            "                ga_size m, ga_ssize k) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n * m)\n"
            "    a[i] = WRITE_OUTPUT_0((ga_ssize)(i % m) - (ga_ssize)(i / m)"
            " == k);\n"
            "}\n",
    .n_types = 4,
    .types = eye_types};

typedef struct eye_props {
  int dtype;
} eye_props;

static int infer_eye(const gg_apply *node, gg_type *type) {
  type->dtype = ((const eye_props *)node->props)->dtype;
  type->nd = 2;
  type->dims[0] = type->dims[1] = GG_ANY;
  return GA_NO_ERROR;
}

static int shape_eye(const gg_apply *node, const gg_dims *in,
                     const double *const *host, gg_dims *dims) {
  (void)in;
  dims->nd = 2;
  for (unsigned int i = 0; i < 2; i++) {
    if (host[i] == NULL)
      return gg_op_fail(node, GA_VALUE_ERROR, "size %u is not known", i);
    dims->dim[i] = (size_t)*host[i];
  }
  return GA_NO_ERROR;
}

static int prepare_eye(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                       int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  const size_t n = test_size(p->out[0]);
  ssize_t k = (ssize_t)*p->number[2];

  GpuLaunch_scall(l, &eye, 1, &n, 0,
                  (void *[]){p->out[0], &p->out[0]->dimensions[0],
                             &p->out[0]->dimensions[1], &k});
  return GpuLaunch_close(launch, l);
}

static const gg_op eye_op = {.name = "eye",
                             .kind = GG_OP_KERNEL,
                             .props_bytes = sizeof(eye_props),
                             .n_out = 1,
                             .number_only = 7,
                             .half_ok = 1,
                             .infer = infer_eye,
                             .shape = shape_eye,
                             .prepare = prepare_eye};

static gg_var *apply_eye(gg_var *n, gg_var *m, gg_var *k, int dtype) {
  return gg_op_apply(NULL, &eye_op, &(eye_props){dtype}, 3,
                     (gg_var *[]){n, m, k});
}

static void numbers_are_known_beforehand(void **state) {
  gg_var *n = gg_shape(x, 0);

  (void)state;
  make(apply_eye(n, gg_add(n, gg_i64(g, 1)), gg_i64(g, -1), GA_FLOAT));
  float_vector(&a, 2, six);
  run_on(&a);
  assert_floats(&out, (float[]){0, 0, 0, 1, 0, 0}, 6);
  GpuArray_clear(&a);
  float_vector(&a, 3, six);
  run_on(&a);
  assert_floats(&out, (float[]){0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, 12);
}

static void an_op_without_arrays_makes_halfs(void **state) {
  gg_var *two = gg_i64(g, 2);
  uint16_t got[4];

  (void)state;
  f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(apply_eye(
                                       two, two, gg_i64(g, 0), GA_HALF))});
  func_run(f, NULL, (GpuArray *[]){&out});
  test_gather(&out, got);
  assert_int_equal(got[0], 0x3c00);
  assert_int_equal(got[1], 0);
  assert_int_equal(got[3], 0x3c00);
}

/* A plan for each. */
static void inputs_are_numbers(void **state) {
  gg_var *n = gg_input(g, "n", GA_LONG, 0);

  (void)state;
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(n),
                                   .outputs = GG_VARS(apply_eye(
                                       n, n, gg_i64(g, 0), GA_FLOAT))});
  for (int64_t size = 1; size <= 2; size++) {
    test_array(&a, GA_LONG, 0, NULL, &size);
    run_on(&a);
    assert_floats(&out, (float[]){1, 0, 0, 1}, (size_t)(size * size));
    GpuArray_clear(&a);
  }
}

static void shared_variables_are_numbers(void **state) {
  const int64_t two = 2;
  gg_var *n = gg_shared_host(g, "n", GA_LONG, 0, NULL, &two);

  (void)state;
  f = func_make(
      g, &(gg_func_spec){.outputs = GG_VARS(apply_eye(n, n, n, GA_FLOAT))});
  func_run(f, NULL, (GpuArray *[]){&out});
  assert_floats(&out, (float[4]){0}, 4);
}

/* --- outputs that nobody reads --- */

static unsigned int told; /* gg_prepare.unread of the last launch */

/* x twice; the second output is computed only where somebody reads it. */
static int prepare_pair(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                        int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);

  told = p->unread;
  for (unsigned int i = 0; i < p->n_out; i++)
    if ((p->unread & 1u << i) == 0)
      GpuLaunch_scall(l, &twice, 1, p->in[0]->dimensions, 0,
                      (void *[]){p->in[0], p->out[i], p->in[0]->dimensions});
  return GpuLaunch_close(launch, l);
}

static void unread_outputs_are_known(void **state) {
  static const gg_op pair_op = {.name = "pair",
                                .kind = GG_OP_KERNEL,
                                .n_out = 2,
                                .c_order = 1,
                                .infer = infer_first,
                                .shape = shape_first,
                                .prepare = prepare_pair};
  gg_var *first = gg_op_apply(NULL, &pair_op, NULL, 1, &x);
  gg_var *second = gg_var_owner(first)->out[1];
  gg_var *const of[4] = {first, second, gg_transpose(second),
                         gg_add(first, second)};
  static const unsigned int want[4] = {2, 1, 1, 0};

  (void)state;
  float_vector(&a, 2, six);
  for (int i = 0; i < 4; i++) {
    make(of[i]);
    run_on(&a);
    assert_int_equal(told, want[i]);
    assert_floats(&out, i < 3 ? (float[]){2, 4} : (float[]){4, 8}, 2);
    gg_func_free(f);
    f = NULL;
  }
  f = func_make(g, &(gg_func_spec){.inputs = GG_VARS(x),
                                   .outputs = GG_VARS(first),
                                   .mode = GG_DEBUG});
  run_on(&a);
  assert_int_equal(told, 0);
}

/* --- what goes wrong --- */

static int infer_lie(const gg_apply *node, gg_type *type) {
  infer_first(node, type);
  type->dims[0] = 3;
  return GA_NO_ERROR;
}

static void a_lie_about_sizes_is_found(void **state) {
  static const gg_op lie_op = {.name = "lie",
                               .kind = GG_OP_KERNEL,
                               .n_out = 1,
                               .infer = infer_lie,
                               .shape = shape_first,
                               .prepare = prepare_twice};

  (void)state;
  make(gg_op_apply(NULL, &lie_op, NULL, 1, &x));
  float_vector(&a, 6, six);
  assert_code(GA_VALUE_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_string_equal(gg_func_error(f),
                      "function: lie: dim 0: expected float32[3], got 6");
}

static int prepare_wrong(const gg_prepare *p, GpuLaunch **launch, int *slot_in,
                         int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  GpuKernelSpec k = twice;

  k.code = "KERNEL void twice(GLOBAL_MEM DTYPE_INPUT_0 *x) { nonsense; }";
  GpuLaunch_scall(l, &k, 1, p->in[0]->dimensions, 0, NULL);
  return GpuLaunch_close(launch, l);
}

static void a_build_failure_names_the_op(void **state) {
  static const gg_op wrong_op = {.name = "wrong",
                                 .kind = GG_OP_KERNEL,
                                 .n_out = 1,
                                 .infer = infer_first,
                                 .shape = shape_first,
                                 .prepare = prepare_wrong};

  (void)state;
  make(gg_op_apply(NULL, &wrong_op, NULL, 1, &x));
  float_vector(&a, 6, six);
  assert_code(GA_IMPL_ERROR,
              gg_func_call(f, (GpuArray *[]){&a}, (GpuArray *[]){&out}));
  assert_non_null(strstr(gg_func_error(f), "function: wrong: clBuildProgram"));
  assert_non_null(strstr(gg_func_error(f), "#define DTYPE_INPUT_0 float"));
  assert_non_null(strstr(gg_func_error(f), "{ nonsense; }"));
  assert_null(out.data);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_kernel_is_an_op),
      TEST(its_text_can_be_seen),
      TEST(odd_arrays_are_copied),
      TEST(every_dtype_has_its_program),
      TEST(ops_of_a_class_share_a_program),
      TEST(strides_are_the_kernels_own),
      TEST(each_output_may_overwrite_an_input),
      TEST(numbers_are_known_beforehand),
      TEST(an_op_without_arrays_makes_halfs),
      TEST(inputs_are_numbers),
      TEST(shared_variables_are_numbers),
      TEST(unread_outputs_are_known),
      TEST(a_lie_about_sizes_is_found),
      TEST(a_build_failure_names_the_op),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
