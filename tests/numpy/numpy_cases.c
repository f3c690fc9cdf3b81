/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes random uses of builders and writes operands, results and what NumPy
 * is to compute: numpy_cases FOLDER SEED ROUNDS [FROM TO]: cases FROM to
 * TO - 1 of the tables alone. numpy_cases.py compares. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpuarray/npy.h>

#include "base/dtype.h"
#include "numpy/draw.h"
#include "support/device.h"
#include "support/lcg.h"

enum { MAP_ROUNDS = 2 };

static void give_up(const char *what, const char *message) {
  fprintf(stderr, "numpy_cases: %s: %s\n", what, message);
  exit(1);
}

/* --- drawing --- */

int64_t draw_int(draw *d, int64_t lo, int64_t hi) {
  return lo + (int64_t)lcg_below(&d->state, (size_t)(hi - lo + 1));
}

int draw_axis(draw *d, unsigned int i) {
  const int nd = (int)gg_var_type(d->in[i])->nd;

  return (int)draw_int(d, -nd, nd - 1);
}

unsigned int draw_axes(draw *d, int axes[3], char text[64]) {
  const unsigned int nd = gg_var_type(d->in[0])->nd;
  unsigned int n = 0;
  char *end = text;

  for (unsigned int i = 0; i < nd; i++)
    if (draw_int(d, 0, 1) == 0)
      axes[n++] = (int)i - (draw_int(d, 0, 1) == 0 ? 0 : (int)nd);
  *end++ = '(';
  for (unsigned int i = 0; i < n; i++)
    end += sprintf(end, "%d,", axes[i]);
  strcpy(end, ")");
  if (n == 0)
    strcpy(text, "None");
  return n;
}

void draw_say(draw *d, const char *fmt, ...) {
  const size_t n = strlen(d->expr);
  va_list ap;

  va_start(ap, fmt);
  vsnprintf(d->expr + n, sizeof d->expr - n, fmt, ap);
  va_end(ap);
}

static int draw_dtype(draw *d, unsigned int set) {
  static const struct {
    unsigned int set;
    int dtype;
  } all[] = {{REALS, GA_FLOAT},     {REALS, GA_FLOAT},   {INTEGERS, GA_INT},
             {INTEGERS, GA_LONG},   {INTEGERS, GA_BYTE}, {INTEGERS, GA_UBYTE},
             {INTEGERS, GA_USHORT}, {BOOLS, GA_BOOL}};

  for (;;) {
    const size_t k = lcg_below(&d->state, sizeof all / sizeof *all);
    if (all[k].set & set)
      return all[k].dtype;
  }
}

/* C order, or axes in another order, or one backwards. */
static void draw_strides(draw *d, unsigned int nd, const size_t *dims,
                         ssize_t *strides) {
  const unsigned int first = (unsigned int)draw_int(d, 0, nd > 0 ? nd - 1 : 0);
  ssize_t step = 1;

  for (unsigned int i = nd; i-- > 0;) {
    const unsigned int k = (i + first) % nd;
    strides[k] = step;
    step *= (ssize_t)(dims[k] != 0 ? dims[k] : 1);
  }
  if (nd > 0 && draw_int(d, 0, 2) == 0)
    strides[first] = -strides[first];
}

/* An operand with these elements. */
static gg_var *draw_array(draw *d, int dtype, unsigned int nd,
                          const size_t *dims, const void *data) {
  static const char *const names[MOST_OPERANDS] = {"x0", "x1", "x2", "x3"};
  ssize_t strides[GG_MAX_ND];
  int64_t known[GG_MAX_ND];
  const unsigned int i = d->n_in++;
  const int knows = draw_int(d, 0, 1) == 0;

  for (unsigned int k = 0; k < nd; k++) {
    d->dims[i][k] = dims[k];
    known[k] = knows || dims[k] == 1 ? (int64_t)dims[k] : GG_ANY;
  }
  draw_strides(d, nd, dims, strides);
  test_array_strided(&d->array[i], dtype, nd, dims, strides, data);
  return d->in[i] = gg_input_sized(d->g, names[i], dtype, nd, known);
}

static size_t count(unsigned int nd, const size_t *dims) {
  size_t n = 1;

  for (unsigned int k = 0; k < nd; k++)
    n *= dims[k];
  if (n > MOST_ELEMENTS)
    give_up("an operand", "too many elements");
  return n;
}

gg_var *draw_sized(draw *d, int dtype, unsigned int nd, const size_t *dims,
                   double lo, double hi) {
  static double data[MOST_ELEMENTS];

  test_fill(data, dtype, count(nd, dims), lo, hi, lcg_next(&d->state));
  return draw_array(d, dtype, nd, dims, data);
}

gg_var *draw_given(draw *d, int dtype, unsigned int nd, const size_t *dims,
                   const double *values) {
  static double data[MOST_ELEMENTS];

  for (size_t i = 0; i < count(nd, dims); i++)
    test_set(data, dtype, i, values[i]);
  return draw_array(d, dtype, nd, dims, data);
}

gg_var *draw_few(draw *d, int dtype, unsigned int nd, const size_t *dims) {
  const int is_float = ga__dtype_kind(dtype) == GA_KIND_FLOAT;
  static double values[MOST_ELEMENTS];

  for (size_t i = 0; i < count(nd, dims); i++) {
    const int64_t k = draw_int(d, 0, 5);
    values[i] = !is_float ? (double)(k / 2) : k == 5 ? NAN : (double)(k - 2);
  }
  return draw_given(d, dtype, nd, dims, values);
}

gg_var *draw_few_any(draw *d, unsigned int dtypes, unsigned int most_nd) {
  const unsigned int nd = (unsigned int)draw_int(d, 1, most_nd);
  size_t dims[GG_MAX_ND];

  for (unsigned int k = 0; k < nd; k++)
    dims[k] = (size_t)draw_int(d, 1, 5);
  if (draw_int(d, 0, 11) == 0)
    dims[draw_int(d, 0, nd - 1)] = 0;
  return draw_few(d, draw_dtype(d, dtypes), nd, dims);
}

gg_var *draw_operand(draw *d, unsigned int dtypes, unsigned int least_nd,
                     unsigned int most_nd, double lo, double hi) {
  const unsigned int nd = (unsigned int)draw_int(d, least_nd, most_nd);
  const int dtype = draw_dtype(d, dtypes);
  size_t dims[GG_MAX_ND];

  for (unsigned int k = 0; k < nd; k++)
    dims[k] = (size_t)draw_int(d, 1, 5);
  if ((dtypes & EMPTY) != 0 && nd > 0 && draw_int(d, 0, 7) == 0)
    dims[draw_int(d, 0, nd - 1)] = 0;
  return draw_sized(d, dtype, nd, dims, lo, hi);
}

/* --- running --- */

static gg_var *build(draw *d, const numpy_case *c) {
  if (c->build != NULL)
    return c->build(d);
  gg_var *const x = draw_operand(d, REALS | BOOLS, 0, 3, -9, 9);
  draw_say(d, "(lambda x: %s)(x0.astype('f8')).astype('f4')", c->formula);
  return c->map(x);
}

/* Returns 0 if the device lacks a dtype. */
static int compute(draw *d, gg_var *y, GpuArray *out) {
  GpuArray *in[MOST_OPERANDS];
  gg_func *f;

  for (unsigned int i = 0; i < d->n_in; i++)
    in[i] = &d->array[i];
  static const gg_mode modes[] = {
      GG_FAST_RUN,     GG_FAST_RUN,   GG_FAST_RUN,   GG_FAST_RUN,
      GG_FAST_RUN,     GG_FAST_RUN,   GG_FAST_RUN,   GG_FAST_COMPILE,
      GG_FAST_COMPILE, GG_NO_REWRITE, GG_NO_REWRITE, GG_DEBUG};
  /* Debug mode compiles most kernels: those of the function, and one for each
   * node. */
  const gg_mode mode = modes[draw_int(d, 0, test_is_quick() ? 10 : 11)];
  const gg_func_spec spec = {.inputs = d->in,
                             .outputs = GG_VARS(y),
                             .mode = mode,
                             .flags =
                                 GG_ALLOW_UNUSED_INPUT | GG_KEEP_SUBNORMALS};
  if (y == NULL || gg_func_new(&f, d->g, &spec) != GA_NO_ERROR)
    give_up(d->expr, gg_graph_error(d->g));
  const int err = gg_func_call(f, in, (GpuArray *[]){out});
  const int lacks_double =
      err == GA_DEVSUP_ERROR && !gpucontext_caps(d->ctx)->fp64;
  if (err != GA_NO_ERROR && !lacks_double)
    give_up(d->expr, gg_func_error(f));
  gg_func_free(f);
  return err == GA_NO_ERROR;
}

static void save(const draw *d, const GpuArray *out, const char *folder,
                 unsigned int number, FILE *list, const numpy_case *c) {
  char path[512], operand[16];
  gpunpz_new *z;
  int err;

  snprintf(path, sizeof path, "%s/%u.npz", folder, number);
  err = gpunpz_create(&z, path, 0);
  for (unsigned int i = 0; err == GA_NO_ERROR && i < d->n_in; i++) {
    snprintf(operand, sizeof operand, "x%u", i);
    err = gpunpz_add(z, operand, &d->array[i]);
  }
  if (err == GA_NO_ERROR)
    err = gpunpz_add(z, "y", out);
  if (err != GA_NO_ERROR || gpunpz_finish(z, 1) != GA_NO_ERROR)
    give_up(path, gpucontext_error(d->ctx, err));
  fprintf(list, "%u\t%s\t%d\t%s\n", number, c->name, c->is_exact, d->expr);
}

static void run_case(gpucontext *ctx, const numpy_case *c, uint64_t seed,
                     unsigned int number, const char *folder, FILE *list) {
  draw d = {.state = seed * 1000003 + number, .ctx = ctx};
  GpuArray out = {0};

  d.g = gg_graph_new(ctx);
  lcg_next(&d.state);
  if (compute(&d, build(&d, c), &out))
    save(&d, &out, folder, number, list, c);
  GpuArray_clear(&out);
  for (unsigned int i = 0; i < d.n_in; i++)
    GpuArray_clear(&d.array[i]);
  gg_graph_free(d.g);
}

static const numpy_table *const tables[] = {
    &numpy_arrangements, &numpy_dtypes,  &numpy_elements,   &numpy_gathers,
    &numpy_indices,      &numpy_orders,  &numpy_products,   &numpy_complexes,
    &numpy_selections,   &numpy_spectra, &numpy_statistics, &numpy_reductions};

/* Does a case run in this round? A map of one operand has few variants. */
static int is_due(const numpy_case *c, unsigned long round) {
  return c->map == NULL || round < MAP_ROUNDS;
}

int main(int argc, char **argv) {
  char path[512];
  gpucontext *ctx;
  unsigned int number = 0;

  if (argc != 4 && argc != 6) {
    fprintf(stderr, "usage: numpy_cases FOLDER SEED ROUNDS [FROM TO]\n");
    return 2;
  }
  if (gpucontext_open(&ctx, NULL) != GA_NO_ERROR) {
    printf("no OpenCL device: skipped\n");
    return 77;
  }
  gpucontext_deref(ctx);
  ctx = test_context(); /* where the support's arrays are */
  snprintf(path, sizeof path, "%s/list.txt", argv[1]);
  FILE *list = fopen(path, "w");
  if (list == NULL)
    give_up(path, "cannot be written");
  for (unsigned long round = 0; round < strtoul(argv[3], NULL, 10); round++) {
    unsigned long at = 0;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
      for (size_t k = 0; k < tables[t]->n; k++, at++, number++)
        if (is_due(&tables[t]->cases[k], round) &&
            (argc == 4 || (at >= strtoul(argv[4], NULL, 10) &&
                           at < strtoul(argv[5], NULL, 10))))
          run_case(ctx, &tables[t]->cases[k],
                   strtoul(argv[2], NULL, 10) + round, number, argv[1], list);
  }
  fclose(list);
  return test_context_drop(NULL);
}
