/* SPDX-License-Identifier: BSD-2-Clause */
/* Pooling and resizing of arrays, of random geometries in all layouts and
 * dtypes, against plain loops in double. */
#include "support/device.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/pooling.h>

#include "base/dtype.h"
#include "base/err.h"
#include "support/lcg.h"

static uint64_t state = 7;

static size_t draw(size_t low, size_t high) {
  return low + lcg_below(&state, high - low + 1);
}

/* --- problems --- */

enum { MOST = 5 }; /* dimensions */

typedef struct problem {
  ga_pool_op op;
  int dtype, has_index, has_value;
  int has_maps;       /* v = x^2 + a + 2 in front, and r + 3 acc behind */
  unsigned int nd, n; /* dimensions, windows' axes */
  size_t x[MOST], y[MOST];
  GpuBand band[GA_POOLING_ND];
  int order[MOST]; /* of the dimensions in memory, outermost first */
  size_t gap;      /* elements between neighbours */
  int is_aligned;  /* arrays and rows begin where vectors may */
} problem;

static size_t count(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int d = 0; d < nd; d++)
    n *= dims[d];
  return n;
}

static void strides_of(ssize_t *s, const problem *p, const size_t *dims) {
  ssize_t step = (ssize_t)p->gap;

  for (unsigned int d = p->nd; d-- > 0;) {
    const size_t n = dims[p->order[d]];
    const int is_row = p->is_aligned && d + 1 == p->nd;
    s[p->order[d]] = step;
    step *= (ssize_t)(is_row ? (n + 3) / 4 * 4 : n);
  }
}

static size_t index_of(unsigned int nd, const size_t *dims, const size_t *i) {
  size_t at = 0;

  for (unsigned int d = 0; d < nd; d++)
    at = at * dims[d] + i[d];
  return at;
}

static void unravel(size_t at, unsigned int nd, const size_t *dims, size_t *i) {
  for (unsigned int d = nd; d-- > 0;) {
    i[d] = at % dims[d];
    at /= dims[d];
  }
}

/* --- on the host --- */

/* The elements of a window, one after the other. */
typedef struct walk {
  size_t k[GA_POOLING_ND], i[MOST];
  double weight;
} walk;

/* Set element `k` of the window of element `o`. Returns 0 if it has none. */
static int find(walk *w, const problem *p, const size_t *o) {
  const unsigned int lead = p->nd - p->n;

  w->weight = 1;
  for (unsigned int d = 0; d < lead; d++)
    w->i[d] = o[d];
  for (unsigned int d = 0; d < p->n; d++) {
    const GpuBand *b = &p->band[d];
    const size_t at = o[lead + d];
    if ((int32_t)w->k[d] >= b->count[at])
      return 0;
    w->i[lead + d] = (size_t)b->first[at] + w->k[d] * b->step;
    if (b->weights != NULL)
      w->weight *= b->weights[w->k[d] * b->n + at];
  }
  return 1;
}

static double lowest(int dtype) {
  switch (ga__dtype_kind(dtype)) {
  case GA_KIND_FLOAT:
    return -INFINITY;
  case GA_KIND_UINT:
    return 0;
  default:
    return -ldexp(1, 8 * (int)ga__dtype_size(dtype) - 1);
  }
}

static void compute(const problem *p, const char *x, const int64_t *index,
                    size_t at, double *value, int64_t *place) {
  const unsigned int lead = p->nd - p->n;
  size_t most[GA_POOLING_ND], o[MOST];
  double sum = 0, best = lowest(p->dtype);

  *place = -1;
  unravel(at, p->nd, p->y, o);
  for (unsigned int d = 0; d < p->n; d++)
    most[d] = p->band[d].most;
  for (size_t k = 0; k < count(p->n, most); k++) {
    walk w;
    unravel(k, p->n, most, w.k);
    if (!find(&w, p, o))
      continue;
    const size_t from = index_of(p->nd, p->x, w.i);
    const double v = test_get(x, p->dtype, from);
    if (p->op == GA_POOLING_PICK)
      sum +=
          index[from] == (int64_t)index_of(p->n, p->y + lead, o + lead) ? v : 0;
    else
      sum += w.weight * v;
    if (*place < 0 || v > best || (isnan(v) && !isnan(best))) {
      best = v;
      *place = (int64_t)index_of(p->n, p->x + lead, w.i + lead);
    }
  }
  *value = p->op == GA_POOLING_MAX ? best : sum;
}

/* --- comparisons --- */

static char *make_source(const problem *p, size_t n) {
  const int is_float = ga__dtype_kind(p->dtype) == GA_KIND_FLOAT;
  char *x = calloc(n + 1, 8);

  test_fill(x, p->dtype, n, is_float ? -8 : 0, 8, (uint32_t)draw(1, 1000));
  for (size_t i = 0; i < n && p->op == GA_POOLING_MAX && is_float; i++) {
    test_set(x, p->dtype, i, floor(test_get(x, p->dtype, i)));
    if (lcg_below(&state, 60) == 0)
      test_set(x, p->dtype, i, lcg_below(&state, 2) ? NAN : -INFINITY);
  }
  return x;
}

static void check_values(const problem *p, GpuArray *got, const char *want) {
  const double eps = ga__dtype_kind(p->dtype) == GA_KIND_FLOAT
                         ? ga__dtype_epsilon(p->dtype)
                         : 0;

  const int is_exact = p->op == GA_POOLING_MAX && !p->has_maps;

  test_array_close(got, want, is_exact ? 0 : 40 * eps,
                   is_exact ? 0 : (p->has_maps ? 1000 : 100) * eps);
}

/* What maps read besides: `a` has one element for each row of the source, `r`
 * as many as the result. */
typedef struct extra {
  GpuArray a, r;
  char *a_host, *r_host, two[8], three[8];
} extra;

static void extra_init(extra *e, const problem *p, const ssize_t *sy) {
  size_t rows[MOST];
  ssize_t s[MOST];

  memcpy(rows, p->x, sizeof rows);
  rows[p->nd - 1] = 1;
  strides_of(s, p, rows);
  e->a_host = calloc(count(p->nd, rows) + 1, 8);
  e->r_host = calloc(count(p->nd, p->y) + 1, 8);
  for (size_t i = 0; i < count(p->nd, rows); i++)
    test_set(e->a_host, p->dtype, i, (double)draw(0, 3));
  for (size_t i = 0; i < count(p->nd, p->y); i++)
    test_set(e->r_host, p->dtype, i, (double)draw(0, 7));
  test_set(e->two, p->dtype, 0, 2);
  test_set(e->three, p->dtype, 0, 3);
  test_array_within(&e->a, p->dtype, p->nd, rows, s, e->a_host, 0);
  test_array_within(&e->r, p->dtype, p->nd, p->y, sy, e->r_host, 0);
}

static void extra_clear(extra *e) {
  GpuArray_clear(&e->a);
  GpuArray_clear(&e->r);
  free(e->a_host);
  free(e->r_host);
}

/* What the map in front makes of the source. */
static char *mapped(const problem *p, const char *x, const extra *e) {
  const size_t n = count(p->nd, p->x);
  char *v = calloc(n + 1, 8);

  for (size_t i = 0; i < n; i++) {
    const double at = test_get(x, p->dtype, i);
    const double more = test_get(e->a_host, p->dtype, i / p->x[p->nd - 1]);
    test_set(v, p->dtype, i, at * at + more + 2);
  }
  return v;
}

static int call_with_maps(const problem *p, extra *e, GpuArray *x,
                          GpuArray *index, GpuArray *y) {
  const gpuelemwise_arg in[] = {{"i0", p->dtype, GE_READ},
                                {"i1", p->dtype, GE_READ},
                                {"s0", p->dtype, GE_READ | GE_SCALAR}};
  const gpuelemwise_arg out[] = {{"p0", p->dtype, GE_READ},
                                 {"q0", p->dtype, GE_READ | GE_SCALAR},
                                 {"o0", p->dtype, GE_WRITE}};
  const GpuEpilogue front = {.text = "v = i0 * i0 + i1 + s0",
                             .n_args = 3,
                             .args = in,
                             .flags = GE_VECTOR};
  const GpuEpilogue behind = {.text = "o0 = acc * q0 + p0",
                              .n_args = 3,
                              .args = out,
                              .flags = GE_VECTOR,
                              .front = &front};
  GpuArray shape = *x;
  GpuLaunch *l;

  shape.data = NULL;
  GA_TRY(GpuPooling_epilogue_prepare(
      &l, p->op, p->n, p->band, &shape, index, &behind,
      (void *[]){&e->r, e->three, y, x, &e->a, e->two}));
  const int err = GpuLaunch_run(l);
  GpuLaunch_free(l);
  return err;
}

static void check(const problem *p) {
  const size_t nx = count(p->nd, p->x), ny = count(p->nd, p->y);
  const size_t lead = p->nd - p->n;
  char *x = make_source(p, nx), *want = calloc(ny + 1, 8), *v = x;
  int64_t *places = calloc(ny + 1, 8), *index = calloc(nx + 1, 8);
  ssize_t sx[MOST], sy[MOST];
  GpuArray ax, ai, ay;
  extra more;

  strides_of(sx, p, p->x);
  strides_of(sy, p, p->y);
  if (p->has_maps) {
    extra_init(&more, p, sy);
    v = mapped(p, x, &more);
  }
  for (size_t i = 0; i < nx; i++)
    index[i] = (int64_t)draw(0, count(p->n, p->y + lead)) - 1;
  for (size_t o = 0; o < ny; o++) {
    double r;
    compute(p, v, index, o, &r, &places[o]);
    if (p->has_maps)
      r = 3 * r + test_get(more.r_host, p->dtype, o);
    test_set(want, p->dtype, o, r);
  }
  char *zeros = calloc(ny + 1, 8);
  const ssize_t gap = p->is_aligned ? 0 : 3;
  test_array_within(&ax, p->dtype, p->nd, p->x, sx, x, gap);
  test_array_within(&ay, p->dtype, p->nd, p->y, sy, zeros, gap);
  if (p->op == GA_POOLING_PICK)
    test_array_within(&ai, GA_LONG, p->nd, p->x, sx, index, gap);
  else
    test_array_within(&ai, GA_LONG, p->nd, p->y, sy, zeros, gap);
  GpuArray *to = p->has_index || p->op == GA_POOLING_PICK ? &ai : NULL;
  if (p->has_maps)
    assert_ok(call_with_maps(p, &more, &ax, to, &ay));
  else
    assert_ok(GpuPooling_call(p->op, p->n, p->band, &ax, to,
                              p->has_value ? &ay : NULL));
  if (p->has_value)
    check_values(p, &ay, want);
  if (p->has_index)
    test_array_equal(&ai, places);
  GpuArray_clear(&ax);
  GpuArray_clear(&ai);
  GpuArray_clear(&ay);
  if (p->has_maps) {
    extra_clear(&more);
    free(v);
  }
  free(x);
  free(want);
  free(zeros);
  free(places);
  free(index);
}

/* --- random problems --- */

static GpuPooling draw_pool(unsigned int n) {
  GpuPooling g = {.nd = n, .flags = (int)draw(0, 3)};

  if (draw(0, 3) == 0)
    g.flags = GA_POOLING_ADAPTIVE;
  for (unsigned int d = 0; d < n; d++) {
    g.size[d] = draw(1, 4);
    g.stride[d] = draw(1, 3);
    g.dilation[d] = draw(1, 3);
    g.before[d] = draw(0, 4);
    g.after[d] = draw(0, 4);
  }
  return g;
}

static void draw_bands(problem *p) {
  const int is_float = ga__dtype_kind(p->dtype) == GA_KIND_FLOAT;
  const int kind = is_float && p->op == GA_POOLING_SUM ? (int)draw(0, 2) : 0;
  const GpuPooling g = draw_pool(p->n);

  for (unsigned int d = 0; d < p->n; d++) {
    const unsigned int lead = p->nd - p->n;
    const size_t least = (g.size[d] - 1) * g.dilation[d] + 1;
    const size_t x = least + draw(0, p->n == 1 ? 90 : p->n == 2 ? 30 : 9);
    const GpuResize r = {.mode = (ga_resize_mode)draw(0, 2),
                         .antialias = (int)draw(0, 1),
                         .cubic = -0.75};
    GpuBand b, *to = &p->band[d];

    if (kind == 0)
      assert_ok(
          GpuBand_pool(to, &g, d, x, p->op == GA_POOLING_SUM && is_float));
    else
      assert_ok(GpuBand_resize(to, &r, x, draw(1, 40)));
    if (p->op == GA_POOLING_PICK || kind == 2) {
      assert_ok(GpuBand_transpose(&b, to));
      GpuBand_clear(to);
      *to = b;
    }
    p->x[lead + d] = to->from;
    p->y[lead + d] = to->n;
  }
}

/* Orders of memory: rows, channels last, and transposed with gaps. */
static void draw_order(problem *p) {
  const int kind = (int)draw(0, 2);
  const int lead = (int)(p->nd - p->n), nd = (int)p->nd;

  p->gap = kind == 2 ? 2 : 1;
  for (int d = 0; d < nd; d++)
    p->order[d] = kind == 0   ? d
                  : kind == 2 ? nd - 1 - d
                  : lead == 0 ? d
                              : (d + lead) % nd;
}

/* Integers would overflow. */
static int may_have_maps(const problem *p) {
  return p->has_value && ga__dtype_kind(p->dtype) == GA_KIND_FLOAT;
}

static void check_random(ga_pool_op op, int dtype) {
  problem p = {.op = op,
               .dtype = dtype,
               .n = (unsigned int[]){1, 1, 2, 2, 2, 2, 3}[draw(0, 6)]};
  const unsigned int lead = (unsigned int)draw(0, 2);
  static const size_t channels[] = {1, 3, 5, 8, 16, 32};

  p.nd = p.n + lead;
  for (unsigned int d = 0; d < lead; d++)
    p.x[d] = p.y[d] = channels[draw(0, d == 0 ? 2 : 5)];
  p.has_index = op == GA_POOLING_MAX && draw(0, 1);
  p.has_value = !p.has_index || draw(0, 1);
  p.has_maps = may_have_maps(&p) && draw(0, 1);
  draw_bands(&p);
  draw_order(&p);
  check(&p);
  for (unsigned int d = 0; d < p.n; d++)
    GpuBand_clear(&p.band[d]);
}

static unsigned int rounds(void) {
  return test_is_quick() ? 2 : 8;
}

static void all_random(void) {
  for (unsigned int i = 0; i < rounds(); i++) {
    check_random(GA_POOLING_SUM, GA_FLOAT);
    check_random(GA_POOLING_MAX, GA_FLOAT);
    check_random(GA_POOLING_PICK, GA_FLOAT);
  }
}

static void test_random(void **unused) {
  (void)unused;
  test_mappings(all_random);
}

static void all_dtypes(void) {
  static const int types[] = {GA_HALF, GA_BFLOAT, GA_BYTE,  GA_UBYTE,
                              GA_INT,  GA_LONG,   GA_USHORT};

  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int k = 0; k < (int)rounds() / 2; k++) {
      check_random(GA_POOLING_MAX, types[i]);
      if (ga__dtype_kind(types[i]) == GA_KIND_FLOAT)
        check_random(GA_POOLING_SUM, types[i]);
    }
}

static void test_dtypes(void **unused) {
  (void)unused;
  if (test_is_quick())
    all_dtypes();
  else
    test_mappings(all_dtypes);
}

static void test_double(void **unused) {
  (void)unused;
  test_need_double();
  for (int k = 0; k < (int)rounds() / 2; k++) {
    check_random(GA_POOLING_MAX, GA_DOUBLE);
    check_random(GA_POOLING_SUM, GA_DOUBLE);
    check_random(GA_POOLING_PICK, GA_DOUBLE);
  }
}

/* Rows of which a window, or a strip of windows, does not fit a line. */
static void test_long(void **unused) {
  static const size_t sizes[][2] = {
      {40000, 1}, {20000, 3}, {9000, 700}, {3, 5000}};

  (void)unused;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const GpuPooling g = {
        .nd = 1, .size = {sizes[i][1]}, .flags = GA_POOLING_ADAPTIVE};
    problem p = {.op = GA_POOLING_SUM,
                 .dtype = GA_FLOAT,
                 .has_value = 1,
                 .nd = 2,
                 .n = 1,
                 .x = {2, sizes[i][0]},
                 .y = {2, sizes[i][1]},
                 .order = {0, 1},
                 .gap = 1};
    assert_ok(GpuBand_pool(&p.band[0], &g, 0, sizes[i][0], 1));
    check(&p);
    GpuBand_clear(&p.band[0]);
  }
}

/* --- windows that repeat ---
 *
 * GPUs compute several rows and columns of these at once, if there are many
 * rows and the columns fill vectors. */

static void draw_regular_band(GpuBand *b, const problem *p, size_t least) {
  static const double scales[] = {2, 3, 4, 0.5, 1.5, 0.25};
  const int is_float = ga__dtype_kind(p->dtype) == GA_KIND_FLOAT;
  const GpuPooling g = {.nd = 1,
                        .size = {draw(1, 4)},
                        .stride = {draw(1, 3)},
                        .dilation = {draw(1, 2)},
                        .before = {draw(0, 3)},
                        .after = {draw(0, 3)},
                        .flags = (int)draw(0, 3)};
  const GpuResize r = {.mode = (ga_resize_mode)draw(0, 2),
                       .antialias = (int)draw(0, 1),
                       .exclude_outside = (int)draw(0, 1),
                       .cubic = -0.75,
                       .scale = scales[draw(0, 5)]};
  const size_t x = least + draw(0, 3);
  GpuBand turned;

  if (is_float && p->op == GA_POOLING_SUM && draw(0, 1))
    assert_ok(GpuBand_resize(b, &r, x, (size_t)(r.scale * (double)x)));
  else
    assert_ok(GpuBand_pool(b, &g, 0, x, is_float && p->op == GA_POOLING_SUM));
  if (p->op == GA_POOLING_PICK || (p->op == GA_POOLING_SUM && draw(0, 1))) {
    assert_ok(GpuBand_transpose(&turned, b));
    GpuBand_clear(b);
    *b = turned;
  }
}

/* Rows whose length is a multiple of 4, if `whole`. */
static void check_regular(ga_pool_op op, int dtype, int whole) {
  static const size_t least[] = {7, 30, 16}; /* of the last three axes */
  const unsigned int n = (unsigned int[]){1, 2, 2, 2, 3}[draw(0, 4)];
  problem p = {.op = op,
               .dtype = dtype,
               .nd = n + 1,
               .n = n,
               .has_value = 1,
               .has_index = op == GA_POOLING_MAX && draw(0, 1),
               .x = {24},
               .y = {24},
               .order = {0, 1, 2, 3},
               .gap = 1,
               .is_aligned = 1};

  for (unsigned int d = 0; d < n; d++) {
    GpuBand *b = &p.band[d];
    do {
      GpuBand_clear(b);
      draw_regular_band(b, &p, least[3 - n + d]);
    } while (d == n - 1 && whole && b->n % 4 != 0);
    p.x[1 + d] = b->from;
    p.y[1 + d] = b->n;
  }
  p.has_maps = may_have_maps(&p) && draw(0, 1);
  check(&p);
  for (unsigned int d = 0; d < n; d++)
    GpuBand_clear(&p.band[d]);
}

static void all_regular(void) {
  for (unsigned int i = 0; i < rounds(); i++) {
    check_regular(GA_POOLING_SUM, GA_FLOAT, 1);
    check_regular(GA_POOLING_MAX, GA_FLOAT, 1);
    check_regular(GA_POOLING_PICK, GA_FLOAT, 1);
    check_regular(GA_POOLING_SUM, i % 2 ? GA_HALF : GA_INT, 1);
    check_regular(GA_POOLING_MAX, i % 2 ? GA_BFLOAT : GA_LONG, 1);
    check_regular(GA_POOLING_SUM, GA_FLOAT, 0);
  }
}

static void test_regular(void **unused) {
  (void)unused;
  test_mappings(all_regular);
}

static void all_regular_double(void) {
  check_regular(GA_POOLING_SUM, GA_DOUBLE, 1);
  check_regular(GA_POOLING_MAX, GA_DOUBLE, 1);
  check_regular(GA_POOLING_PICK, GA_DOUBLE, 1);
}

static void test_regular_double(void **unused) {
  (void)unused;
  test_need_double();
  test_mappings(all_regular_double);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),  cmocka_unit_test(test_dtypes),
      cmocka_unit_test(test_double),  cmocka_unit_test(test_long),
      cmocka_unit_test(test_regular), cmocka_unit_test(test_regular_double)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
