/* SPDX-License-Identifier: BSD-2-Clause */
/* Products with an epilogue: shapes around the edges of tiles, dtypes, repeated
 * and strided arguments, several outputs, results in place, on both mappings,
 * and what is refused. Numbers are small and whole, so sums are exact. All
 * of it runs through one trial of a recipe, so it is one file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

#include <gpuarray/launch.h>

#include "base/dtype.h"

enum { MOST_ARGS = 4 };

/* How an argument lies: over all elements, or repeated; without gaps, turned,
 * every other element, or backwards. */
typedef enum extent { ALL, ROW, COLUMN, ONE, VALUE } extent;
typedef enum layout { PLAIN, TURNED, GAPS, BACKWARDS } layout;

typedef struct want {
  gpuelemwise_arg arg;
  extent extent;
  layout layout;
  int is_result; /* Y or C itself */
} want;

/* An expression, and the same on the host: v has the arguments' values. */
typedef struct recipe {
  const char *text;
  int flags;
  unsigned int n;
  want args[MOST_ARGS];
  void (*host)(double acc, double *v);
} recipe;

static void host_relu(double acc, double *v) {
  v[0] = fmax(acc + v[1], 0);
}

static void host_several(double acc, double *v) {
  v[0] = acc > v[2];
  v[1] = acc - v[3];
}

static void host_in_place(double acc, double *v) {
  v[0] = acc + v[0] * v[1] + v[2];
}

static void host_halves(double acc, double *v) {
  v[0] = acc * v[2];
  v[1] = acc + v[3];
}

static const recipe relu = {"o = fmax(acc + b, (w_float)(0));",
                            GE_VECTOR,
                            2,
                            {{{"o", GA_FLOAT, GE_WRITE}, ALL, PLAIN, 0},
                             {{"b", GA_FLOAT, GE_READ}, ROW, PLAIN, 0}},
                            host_relu};
static const recipe relu_turned = {
    "o = fmax(acc + b, (w_float)(0));",
    GE_VECTOR,
    2,
    {{{"o", GA_FLOAT, GE_WRITE}, ALL, TURNED, 0},
     {{"b", GA_FLOAT, GE_READ}, COLUMN, PLAIN, 0}},
    host_relu};
static const recipe several = {
    "w_bool t = acc > s; big = t; r = w_to_int(acc) - i;",
    GE_VECTOR,
    4,
    {{{"big", GA_BOOL, GE_WRITE}, ALL, PLAIN, 0},
     {{"r", GA_INT, GE_WRITE}, ALL, PLAIN, 0},
     {{"s", GA_FLOAT, GE_READ | GE_SCALAR}, VALUE, PLAIN, 0},
     {{"i", GA_INT, GE_READ}, COLUMN, GAPS, 0}},
    host_several};
static const recipe in_place = {
    "c = acc + c * h + k;",
    0,
    3,
    {{{"c", GA_FLOAT, GE_READ | GE_WRITE}, ALL, PLAIN, 1},
     {{"h", GA_HALF, GE_READ}, ONE, PLAIN, 0},
     {{"k", GA_BYTE, GE_READ}, ALL, BACKWARDS, 0}},
    host_in_place};
static const recipe halves = {
    "a1 = w_to_half(acc * w_to_half(v)); b1 = acc + w;",
    GE_VECTOR,
    4,
    {{{"a1", GA_HALF, GE_WRITE}, ALL, GAPS, 0},
     {{"b1", GA_FLOAT, GE_WRITE}, ALL, PLAIN, 0},
     {{"v", GA_HALF, GE_READ | GE_SCALAR}, VALUE, PLAIN, 0},
     {{"w", GA_HALF, GE_READ}, ALL, TURNED, 0}},
    host_halves};
static const recipe halves_next = {
    "a1 = w_to_half(acc * w_to_half(v)); b1 = acc + w;",
    GE_VECTOR,
    4,
    {{{"a1", GA_HALF, GE_WRITE}, ALL, PLAIN, 0},
     {{"b1", GA_FLOAT, GE_WRITE}, ALL, PLAIN, 0},
     {{"v", GA_INT, GE_READ | GE_SCALAR}, VALUE, PLAIN, 0},
     {{"w", GA_HALF, GE_READ}, ALL, BACKWARDS, 0}},
    host_halves};
static const recipe doubles = {
    "a1 = acc * w_to_double(v); b1 = w_to_float(acc) + w;",
    GE_VECTOR,
    4,
    {{{"a1", GA_DOUBLE, GE_WRITE}, ALL, PLAIN, 0},
     {{"b1", GA_FLOAT, GE_WRITE}, ALL, PLAIN, 0},
     {{"v", GA_INT, GE_READ | GE_SCALAR}, VALUE, PLAIN, 0},
     {{"w", GA_FLOAT, GE_READ}, ROW, GAPS, 0}},
    host_halves};

/* --- arrays --- */

/* Whole numbers from -3 to 3, times `step`. */
static double whole(uint32_t *state, double step) {
  *state = *state * 1664525u + 1013904223u;
  return step * ((double)((*state >> 16) % 7) - 3);
}

/* With a step of 0, numbers are NaN where there is such a thing. */
static void make(GpuArray *a, int typecode, unsigned int nd, const size_t *dims,
                 layout how, double step, uint32_t seed) {
  const size_t rows = nd > 1 ? dims[0] : 1, cols = dims[nd - 1];
  const size_t n = rows * cols;
  void *host = malloc((n + 1) * 8);
  ssize_t strides[2] = {(ssize_t)(cols > 0 ? cols : 1), 1};

  assert_non_null(host);
  for (size_t i = 0; i < n; i++)
    test_set(host, typecode, i,
             step == 0 && ga__dtype_kind(typecode) == GA_KIND_FLOAT
                 ? (double)NAN
                 : whole(&seed, step));
  if (how == TURNED && nd > 1) {
    strides[0] = 1;
    strides[1] = (ssize_t)(rows > 0 ? rows : 1);
  } else if (how == GAPS) {
    strides[0] = 2 * (ssize_t)cols + 3;
    strides[1] = 2;
  } else if (how == BACKWARDS) {
    strides[0] = -(ssize_t)cols;
    strides[1] = -1;
  }
  test_array_strided(a, typecode, nd, dims, strides + 2 - nd, host);
  free(host);
}

static double *fetch(const GpuArray *a) {
  const size_t n = test_size(a);
  void *raw = malloc((n + 1) * 8);
  double *out = malloc((n + 1) * sizeof *out);

  assert_non_null(raw);
  assert_non_null(out);
  test_gather(a, raw);
  for (size_t i = 0; i < n; i++)
    out[i] = test_get(raw, a->typecode, i);
  free(raw);
  return out;
}

/* --- one product --- */

typedef struct sizes {
  unsigned int nd; /* of the result */
  size_t m, n, k;
  double alpha, beta;
} sizes;

typedef struct trial {
  const recipe *r;
  int typecode;
  unsigned int nd;
  size_t dims[2];
  GpuArray a, b, c, args[MOST_ARGS];
  float values[MOST_ARGS]; /* room for any value argument */
  void *given[MOST_ARGS];
  double *ha, *hb, *hc, *hargs[MOST_ARGS];
} trial;

static void make_arg(trial *t, unsigned int k) {
  const want *w = &t->r->args[k];
  const size_t dims[2] = {w->extent == ROW || w->extent == ONE ? 1 : t->dims[0],
                          w->extent == COLUMN || w->extent == ONE ? 1
                                                                  : t->dims[1]};

  if (w->is_result) {
    t->given[k] = &t->c;
  } else if (w->extent == VALUE) {
    test_set(&t->values[k], w->arg.typecode, 0, 1);
    t->given[k] = &t->values[k];
  } else {
    make(&t->args[k], w->arg.typecode, t->nd, dims + 2 - t->nd, w->layout,
         w->arg.flags & GE_READ ? 1 : 0, k + 7);
    t->given[k] = &t->args[k];
  }
}

static void trial_open(trial *t, const recipe *r, int typecode, const sizes *s,
                       layout how) {
  const size_t a[2] = {s->m, s->k}, b[2] = {s->k, s->n};

  *t = (trial){.r = r, .typecode = typecode, .nd = s->nd};
  t->dims[0] = s->nd == 1 ? 1 : s->m;
  t->dims[1] = s->nd == 1 ? s->m : s->n;
  make(&t->a, typecode, 2, a, how == TURNED ? TURNED : PLAIN, 1, 1);
  make(&t->b, typecode, t->nd, b, PLAIN, 1, 2);
  make(&t->c, typecode, t->nd, t->dims + 2 - t->nd,
       how == TURNED ? TURNED : PLAIN, 2, 3);
  for (unsigned int k = 0; k < r->n; k++)
    make_arg(t, k);
  t->ha = fetch(&t->a);
  t->hb = fetch(&t->b);
  t->hc = fetch(&t->c);
  for (unsigned int k = 0; k < r->n; k++)
    t->hargs[k] = r->args[k].extent == VALUE ? NULL : fetch(t->given[k]);
}

static void trial_close(trial *t) {
  GpuArray_clear(&t->a);
  GpuArray_clear(&t->b);
  GpuArray_clear(&t->c);
  free(t->ha);
  free(t->hb);
  free(t->hc);
  for (unsigned int k = 0; k < t->r->n; k++) {
    GpuArray_clear(&t->args[k]);
    free(t->hargs[k]);
  }
}

/* Where element (i, j) of an argument is in its host copy. */
static size_t place(const trial *t, unsigned int k, size_t i, size_t j) {
  const extent e = t->r->args[k].extent;
  const size_t cols = e == COLUMN || e == ONE ? 1 : t->dims[1];

  return (e == ROW || e == ONE ? 0 : i) * cols + (cols == 1 ? 0 : j);
}

static void expect(trial *t, const sizes *s) {
  for (size_t i = 0; i < t->dims[0]; i++)
    for (size_t j = 0; j < t->dims[1]; j++) {
      double acc = 0, v[MOST_ARGS];

      for (size_t p = 0; p < s->k && s->alpha != 0; p++)
        acc += t->nd == 1 ? t->ha[j * s->k + p] * t->hb[p]
                          : t->ha[i * s->k + p] * t->hb[p * t->dims[1] + j];
      acc *= s->alpha;
      if (s->beta != 0)
        acc += s->beta * t->hc[i * t->dims[1] + j];
      for (unsigned int k = 0; k < t->r->n; k++)
        v[k] = t->hargs[k] == NULL ? 1 : t->hargs[k][place(t, k, i, j)];
      t->r->host(acc, v);
      for (unsigned int k = 0; k < t->r->n; k++) {
        if (t->r->args[k].arg.flags & GE_WRITE)
          t->hargs[k][place(t, k, i, j)] = v[k];
      }
    }
}

static void compare(trial *t) {
  for (unsigned int k = 0; k < t->r->n; k++) {
    const GpuArray *a = t->given[k];

    if (t->hargs[k] == NULL)
      continue;
    void *host = malloc((test_size(a) + 1) * 8);
    assert_non_null(host);
    for (size_t i = 0; i < test_size(a); i++)
      test_set(host, a->typecode, i, t->hargs[k][i]);
    test_array_equal(a, host);
    free(host);
  }
}

static void run(const recipe *r, int typecode, const sizes *s, layout how) {
  gpuelemwise_arg args[MOST_ARGS];
  GpuEpilogue e = {
      .text = r->text, .n_args = r->n, .args = args, .flags = r->flags};
  GpuLaunch *l;
  trial t;

  trial_open(&t, r, typecode, s, how);
  for (unsigned int k = 0; k < r->n; k++)
    args[k] = r->args[k].arg;
  GpuArray *c = s->beta != 0 ? &t.c : NULL;
  if (t.nd == 1)
    assert_ok(GpuArray_rgemv_epilogue_prepare(&l, cb_no_trans, s->alpha, &t.a,
                                              &t.b, s->beta, c, &e, t.given));
  else
    assert_ok(GpuArray_rgemm_epilogue_prepare(&l, cb_no_trans, cb_no_trans,
                                              s->alpha, &t.a, &t.b, s->beta, c,
                                              &e, t.given));
  assert_ok(GpuLaunch_run(l));
  expect(&t, s);
  compare(&t);
  GpuLaunch_free(l);
  trial_close(&t);
}

/* --- values --- */

/* Around tiles and blocks, cut along k, and with little or nothing to add. The
 * first ones need few kernels: most expressions make do with them. */
static const sizes matrices[] = {
    {2, 33, 65, 7, 1, 0},    {2, 12, 132, 600, 1, 0.5}, {2, 8, 64, 0, 1, 0.5},
    {2, 0, 5, 4, 1, 0},      {2, 6, 0, 4, 1, 0},        {2, 17, 34, 3, 0, 0.5},
    {2, 5, 7, 300, 1, 0.5},  {2, 1, 40, 9, 2, 0},       {2, 40, 1, 9, 1, 0.5},
    {2, 300, 20, 10, -1, 1}, {2, 1, 1, 1, 1, 0},
};
static const sizes vectors[] = {
    {1, 33, 0, 65, 1, 0},   {1, 20, 0, 0, 1, 0.5},    {1, 1, 0, 300000, 1, 0},
    {1, 200, 0, 7, 2, 0.5}, {1, 20, 0, 30, 0, 0},     {1, 0, 0, 9, 1, 0},
    {1, 4, 0, 3000, 1, -2}, {1, 70, 0, 1030, 1, 0.5},
};
enum {
  FEW = 3,
  MATRICES = sizeof matrices / sizeof matrices[0],
  VECTORS = sizeof vectors / sizeof vectors[0]
};

static void run_all(const recipe *r, int typecode, layout how) {
  for (size_t i = 0; i < MATRICES; i++)
    run(r, typecode, &matrices[i], how);
  for (size_t i = 0; i < VECTORS; i++)
    run(r, typecode, &vectors[i], how);
}

static void run_few(const recipe *r, int typecode, layout how) {
  for (size_t i = 0; i < FEW; i++) {
    run(r, typecode, &matrices[i], how);
    run(r, typecode, &vectors[i], how);
  }
}

static void body_relu(void) {
  run_all(&relu, GA_FLOAT, PLAIN);
  run_few(&relu_turned, GA_FLOAT, PLAIN);
}

static void test_relu(void **state) {
  (void)state;
  test_mappings(body_relu);
  run_few(&relu, GA_FLOAT, TURNED);
}

static void test_several(void **state) {
  (void)state;
  run_all(&several, GA_FLOAT, PLAIN);
  run_few(&several, GA_HALF, TURNED);
}

/* C as it is and turned; a dot product that is cut. */
static void body_in_place(void) {
  run(&in_place, GA_FLOAT, &matrices[1], PLAIN);
  run(&in_place, GA_FLOAT, &matrices[2], TURNED);
  run(&in_place, GA_FLOAT, &vectors[3], PLAIN);
}

static void test_in_place(void **state) {
  (void)state;
  test_mappings(body_in_place);
}

static void test_halves(void **state) {
  (void)state;
  run_few(&halves, GA_HALF, PLAIN);
  run_few(&halves_next, GA_HALF, PLAIN);
  run_few(&halves_next, GA_FLOAT, PLAIN);
}

static void test_doubles(void **state) {
  (void)state;
  test_need_double();
  run_few(&doubles, GA_DOUBLE, PLAIN);
}

/* Vectors where the text allows it, and elements alone elsewhere. */
static int has_vectors(const recipe *r, layout how) {
  const sizes s = {2, 40, 64, 9, 1, 0};
  gpuelemwise_arg args[MOST_ARGS];
  GpuEpilogue e = {
      .text = r->text, .n_args = r->n, .args = args, .flags = r->flags};
  GpuLaunch *l;
  trial t;

  trial_open(&t, r, GA_FLOAT, &s, how);
  for (unsigned int k = 0; k < r->n; k++)
    args[k] = r->args[k].arg;
  assert_ok(GpuArray_rgemm_epilogue_prepare(&l, cb_no_trans, cb_no_trans, 1,
                                            &t.a, &t.b, 0, NULL, &e, t.given));
  int found = strstr(GpuLaunch_source(l, 0), "void p_put_v(") != NULL;
  GpuLaunch_free(l);
  trial_close(&t);
  return found;
}

static void test_vectors(void **state) {
  (void)state;
  assert_true(has_vectors(&relu, PLAIN));
  assert_true(has_vectors(&relu_turned, TURNED));
  assert_true(has_vectors(&several, PLAIN));
  assert_false(has_vectors(&in_place, PLAIN)); /* plain text */
  assert_false(has_vectors(&halves, PLAIN));   /* writes into gaps */
  assert_true(has_vectors(&halves_next, PLAIN));
}

/* --- names, slots --- */

/* Users' names may be those of our templates. */
static void test_names(void **state) {
  static const recipe r = {"T = acc + W + twice(alpha);",
                           0,
                           3,
                           {{{"T", GA_FLOAT, GE_WRITE}, ALL, PLAIN, 0},
                            {{"W", GA_FLOAT, GE_READ}, ROW, PLAIN, 0},
                            {{"alpha", GA_FLOAT, GE_READ}, ALL, PLAIN, 0}},
                           NULL};
  const sizes s = {2, 5, 40, 3, 1, 0};
  gpuelemwise_arg args[MOST_ARGS];
  const GpuEpilogue e = {.text = r.text,
                         .preamble =
                             "float twice(float MR) { return MR + MR; }",
                         .n_args = 3,
                         .args = args};
  const float more = 4;
  GpuLaunch *l;
  trial t;

  (void)state;
  trial_open(&t, &r, GA_FLOAT, &s, PLAIN);
  for (unsigned int k = 0; k < 3; k++)
    args[k] = r.args[k].arg;
  assert_ok(GpuArray_rgemm_epilogue_prepare(&l, cb_no_trans, cb_no_trans, 0,
                                            &t.a, &t.b, 0, NULL, &e, t.given));
  /* Slot 3 is the first argument; slot 4 gets another array. */
  assert_ok(GpuArray_write(&t.args[1], &more, sizeof more));
  assert_ok(GpuLaunch_bind(l, 4, t.args[1].data, t.args[1].offset));
  assert_code(GA_VALUE_ERROR, GpuLaunch_bind(l, 6, t.args[1].data, 0));
  assert_ok(GpuLaunch_run(l));
  double *was = fetch(&t.args[0]);
  assert_true(was[0] == 4 + 2 * t.hargs[2][0]);
  assert_true(was[1] == t.hargs[1][1] + 2 * t.hargs[2][1]);
  free(was);
  GpuLaunch_free(l);
  trial_close(&t);
}

/* --- descriptions that are read once --- */

static int prepare_read(GpuLaunch **l, trial *t, const GpuEpilogue *e) {
  return GpuArray_rgemm_epilogue_prepare(l, cb_no_trans, cb_no_trans, 1, &t->a,
                                         &t->b, 0, NULL, e, t->given);
}

/* What was read is not read again, except for another dtype. */
static void test_read(void **state) {
  static const char refused[] = "#define X\no = acc";
  const sizes s = {2, 5, 40, 3, 1, 0};
  gpuelemwise_arg args[MOST_ARGS] = {relu.args[0].arg, relu.args[1].arg};
  GpuEpilogue e = {
      .text = relu.text, .n_args = 2, .args = args, .flags = GE_VECTOR};
  GpuLaunch *l;
  trial t, half;

  (void)state;
  assert_ok(GpuEpilogue_read(&e, test_context(), GA_FLOAT));
  assert_non_null(e.read);
  e.text = refused;
  trial_open(&t, &relu, GA_FLOAT, &s, PLAIN);
  assert_ok(prepare_read(&l, &t, &e));
  assert_ok(GpuLaunch_run(l));
  expect(&t, &s);
  compare(&t);
  GpuLaunch_free(l);
  trial_close(&t);
  trial_open(&half, &relu, GA_HALF, &s, PLAIN);
  assert_code(GA_VALUE_ERROR, prepare_read(&l, &half, &e));
  assert_message(GA_VALUE_ERROR, "preprocessor lines");
  e.text = relu.text;
  assert_ok(prepare_read(&l, &half, &e));
  GpuLaunch_free(l);
  trial_close(&half);
  GpuEpilogue_forget(&e);
  assert_null(e.read);
}

static void test_read_refusals(void **state) {
  gpuelemwise_arg args[MOST_ARGS] = {relu.args[0].arg, relu.args[1].arg};
  GpuEpilogue e = {.n_args = 2, .args = args};

  (void)state;
  assert_code(GA_VALUE_ERROR, GpuEpilogue_read(&e, test_context(), GA_FLOAT));
  e.text = "#define X\no = acc";
  assert_code(GA_VALUE_ERROR, GpuEpilogue_read(&e, test_context(), GA_FLOAT));
  e.text = relu.text;
  assert_code(GA_VALUE_ERROR, GpuEpilogue_read(&e, NULL, GA_FLOAT));
  assert_code(GA_VALUE_ERROR, GpuEpilogue_read(&e, test_context(), GA_INT));
  assert_null(e.read);
  GpuEpilogue_forget(&e);
  GpuEpilogue_forget(NULL);
}

/* --- refusals --- */

typedef struct attempt {
  trial t;
  gpuelemwise_arg args[MOST_ARGS];
  GpuEpilogue e;
  GpuLaunch *l;
} attempt;

static void attempt_open(attempt *a, const recipe *r, size_t m, size_t n,
                         size_t k) {
  const sizes s = {2, m, n, k, 1, 0};

  *a = (attempt){.e = {.text = r->text, .n_args = r->n, .flags = r->flags}};
  trial_open(&a->t, r, GA_FLOAT, &s, PLAIN);
  for (unsigned int i = 0; i < r->n; i++)
    a->args[i] = r->args[i].arg;
  a->e.args = a->args;
}

static int attempt_go(attempt *a, double beta, GpuArray *c) {
  const int err = GpuArray_rgemm_epilogue_prepare(
      &a->l, cb_no_trans, cb_no_trans, 1, &a->t.a, &a->t.b, beta, c, &a->e,
      a->t.given);

  assert_null(a->l);
  return err;
}

static void test_refusals(void **state) {
  attempt a;

  (void)state;
  attempt_open(&a, &relu, 5, 7, 3);
  assert_code(GA_INVALID_ERROR, attempt_go(&a, 1, NULL));
  assert_message(GA_INVALID_ERROR, "C: no array, and beta is 1");
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 1, &a.t.b));

  void *given = a.t.given[0];
  a.t.given[0] = &a.t.b; /* 3x7 for a result of 5x7 */
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  assert_message(GA_VALUE_ERROR, "the product has 5, arguments 3");
  a.t.given[0] = given;

  given = a.t.given[1];
  a.t.given[1] = &a.t.a; /* 5x3 repeats along neither */
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  a.t.given[1] = given;

  a.args[1].name = "p_b";
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  a.args[1].name = "b c";
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  a.args[1].name = "b";
  a.args[1].typecode = GA_CFLOAT;
  assert_code(GA_INVALID_ERROR, attempt_go(&a, 0, NULL));
  a.args[1].typecode = GA_FLOAT;
  a.args[0].flags = GE_READ;
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  assert_message(GA_VALUE_ERROR, "none of 2 arguments is written");
  a.args[0].flags = GE_WRITE;
  a.e.front = &a.e;
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  assert_message(GA_VALUE_ERROR, "a map in front of a product");
  a.e.front = NULL;
  a.e.text = "o = undefined(acc);";
  assert_code(GA_IMPL_ERROR, attempt_go(&a, 0, NULL));
  a.e.text = NULL;
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  trial_close(&a.t);
}

/* A result that lies in an operand, or in C but moved by an element. */
static void test_overlaps(void **state) {
  GpuArray moved;
  attempt a;

  (void)state;
  attempt_open(&a, &relu, 4, 4, 4);
  assert_ok(GpuArray_view(&moved, &a.t.args[0]));
  moved.offset += sizeof(float);
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 1, &moved));
  assert_message(GA_VALUE_ERROR, "o: overlaps C");
  GpuArray_clear(&moved);
  a.t.given[0] = &a.t.b;
  assert_code(GA_VALUE_ERROR, attempt_go(&a, 0, NULL));
  assert_message(GA_VALUE_ERROR, "o: overlaps B");
  trial_close(&a.t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_relu),          cmocka_unit_test(test_several),
      cmocka_unit_test(test_in_place),      cmocka_unit_test(test_halves),
      cmocka_unit_test(test_doubles),       cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_names),         cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_overlaps),      cmocka_unit_test(test_read),
      cmocka_unit_test(test_read_refusals),
  };

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
