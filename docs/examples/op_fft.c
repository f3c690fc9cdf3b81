/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier transforms by clFFT on the library's arrays: forward and inverse,
 * real and complex, batched, of any length whose factors are 2, 3, 5, 7, 11 and
 * 13, with gradients. A complex number is a last axis of two reals.
 *
 *   real [b, n] -> rfft -> [b, n / 2 + 1, 2] -> irfft -> [b, n]
 *   [b, n, 2] -> fft, ifft -> [b, n, 2]
 *
 *   op_fft */
#include <clFFT.h>
#include <gpuarray/convert.h>
#include <gpuarray/opencl.h>

#include "op_example.h"

typedef enum fft_kind { FFT_REAL, FFT_HALF, FFT_COMPLEX } fft_kind;

/* Without padding: properties are compared as bytes. */
typedef struct fft_props {
  int n;         /* length */
  fft_kind from; /* of the input */
  int inverse;   /* sign of the exponent */
  int scaled;    /* divided by n */
} fft_props;

static fft_kind kind_out(const fft_props *f) {
  return f->from == FFT_REAL   ? FFT_HALF
         : f->from == FFT_HALF ? FFT_REAL
                               : FFT_COMPLEX;
}

/* The sizes behind the batch. */
static unsigned int sizes_of(fft_kind kind, int n, size_t *dim) {
  dim[0] = kind == FFT_HALF ? (size_t)n / 2 + 1 : (size_t)n;
  dim[1] = 2;
  return kind == FFT_REAL ? 1 : 2;
}

static int fft_infer(const gg_apply *a, gg_type *out) {
  const fft_props *f = a->props;
  const gg_type *in = gg_var_type(a->in[0]);
  size_t dim[2];

  if (in->dtype != GA_FLOAT || in->nd != 1 + sizes_of(f->from, f->n, dim))
    return gg_op_fail(a, GA_VALUE_ERROR, "expected float32 of rank %u",
                      1 + sizes_of(f->from, f->n, dim));
  out->dtype = GA_FLOAT;
  out->nd = 1 + sizes_of(kind_out(f), f->n, dim);
  for (unsigned int k = 0; k < out->nd; k++)
    out->dims[k] = GG_ANY;
  return GA_NO_ERROR;
}

static int fft_shape(const gg_apply *a, const gg_dims *in,
                     const double *const *number, gg_dims *out) {
  const fft_props *f = a->props;
  size_t dim[2];
  unsigned int nd = sizes_of(f->from, f->n, dim);

  (void)number;
  for (unsigned int k = 0; k < nd; k++)
    if (in[0].dim[1 + k] != dim[k])
      return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: expected %zu, got %zu",
                        1 + k, dim[k], in[0].dim[1 + k]);
  nd = sizes_of(kind_out(f), f->n, dim);
  *out = (gg_dims){1 + nd, {in[0].dim[0], dim[0], dim[1]}};
  return GA_NO_ERROR;
}

/* --- clFFT --- */

static int check(const gg_prepare *p, const char *call, clfftStatus status) {
  if (status == CLFFT_SUCCESS)
    return GA_NO_ERROR;
  return gg_op_fail(p->apply, GA_IMPL_ERROR, "%s: %d", call, (int)status);
}

static clfftLayout layout_of(fft_kind kind) {
  return kind == FFT_REAL   ? CLFFT_REAL
         : kind == FFT_HALF ? CLFFT_HERMITIAN_INTERLEAVED
                            : CLFFT_COMPLEX_INTERLEAVED;
}

/* A plan for one batch size, with its kernels. */
static int set_plan(const gg_prepare *p, clfftPlanHandle plan, gpuopencl *cl) {
  const fft_props *f = p->apply->props;
  const fft_kind out = kind_out(f);
  const clfftDirection way = f->inverse ? CLFFT_BACKWARD : CLFFT_FORWARD;
  size_t from[2], to[2];

  sizes_of(f->from, f->n, from);
  sizes_of(out, f->n, to);
  clfftSetPlanPrecision(plan, CLFFT_SINGLE);
  clfftSetLayout(plan, layout_of(f->from), layout_of(out));
  clfftSetResultLocation(plan, CLFFT_OUTOFPLACE);
  clfftSetPlanBatchSize(plan, p->in[0]->dimensions[0]);
  clfftSetPlanDistance(plan, from[0], to[0]);
  clfftSetPlanScale(plan, way, f->scaled ? 1.0f / (float)f->n : 1.0f);
  return check(p, "clfftBakePlan",
               clfftBakePlan(plan, 1, &cl->queue, NULL, NULL));
}

static int fft_new(const gg_prepare *p, void **state) {
  const fft_props *f = p->apply->props;
  size_t n = (size_t)f->n;
  clfftPlanHandle *plan = malloc(sizeof *plan);
  gpuopencl cl;
  int err = plan != NULL ? gpucontext_opencl(p->ctx, &cl) : GA_MEMORY_ERROR;

  if (err == GA_NO_ERROR)
    err = check(p, "clfftCreateDefaultPlan",
                clfftCreateDefaultPlan(plan, cl.context, CLFFT_1D, &n));
  if (err == GA_NO_ERROR) {
    err = set_plan(p, *plan, &cl);
    if (err != GA_NO_ERROR)
      clfftDestroyPlan(plan);
  }
  if (err != GA_NO_ERROR) {
    free(plan);
    plan = NULL;
  }
  *state = plan;
  return err;
}

static void fft_free(void *state) {
  if (state != NULL)
    clfftDestroyPlan(state);
  free(state);
}

/* clFFT takes memory objects from their start, so what lies elsewhere is
 * copied. It works in our queue, and so needs no events. */
static int fft_perform(const gg_prepare *p) {
  static const gpuwant plain = {GA_KEEP_TYPE, GA_C_ORDER, GA_WANT_NO_OFFSET};
  const fft_props *f = p->apply->props;
  GpuArray in = {0}, out = {0};
  size_t offset;
  gpuopencl cl;
  cl_mem mem[2];
  int err = gpucontext_opencl(p->ctx, &cl);

  if (err == GA_NO_ERROR)
    err = GpuArray_convert(&in, p->in[0], &plain, GA_COPY_IF_NEEDED);
  if (err == GA_NO_ERROR)
    err = GpuArray_convert(&out, p->out[0], &plain, GA_COPY_IF_NEEDED);
  if (err == GA_NO_ERROR)
    err = GpuArray_opencl(&in, &mem[0], &offset);
  if (err == GA_NO_ERROR)
    err = GpuArray_opencl(&out, &mem[1], &offset);
  if (err == GA_NO_ERROR)
    err = check(p, "clfftEnqueueTransform",
                clfftEnqueueTransform(
                    *(clfftPlanHandle *)p->state,
                    f->inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &cl.queue,
                    0, NULL, NULL, &mem[0], &mem[1], NULL));
  if (err == GA_NO_ERROR && out.data != p->out[0]->data)
    err = GpuArray_setarray(p->out[0], &out);
  GpuArray_clear(&in);
  GpuArray_clear(&out);
  return err;
}

/* --- the graph's side --- */

static int fft_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin);

static const gg_op fft_op = {.name = "fft",
                             .kind = GG_OP_PERFORM,
                             .props_bytes = sizeof(fft_props),
                             .n_out = 1,
                             .infer = fft_infer,
                             .shape = fft_shape,
                             .grad = fft_grad,
                             .perform = fft_perform,
                             .state_new = fft_new,
                             .state_free = fft_free,
                             .c_order = 1};

static gg_var *apply(gg_var *x, fft_props f) {
  return gg_op_apply(NULL, &fft_op, &f, 1, &x);
}

/* [n / 2 + 1, 2] of `twice`, but 1 and 0 for those frequencies that stand in
 * the half spectrum for themselves alone and not for their conjugates too: they
 * are real, and clFFT relies on it. */
static gg_var *weights(gg_graph *g, int n, float twice) {
  const size_t dims[2] = {(size_t)n / 2 + 1, 2};
  float *w = malloc(dims[0] * dims[1] * sizeof *w);

  if (w == NULL)
    return NULL;
  for (int k = 0; k <= n / 2; k++) {
    const int is_alone = k == 0 || 2 * k == n;

    w[2 * k] = is_alone ? 1 : twice;
    w[2 * k + 1] = is_alone ? 0 : twice;
  }
  gg_var *v = gg_constant(g, GA_FLOAT, 2, dims, w);
  free(w);
  return v;
}

static gg_var *rfft(gg_var *x, int n) {
  return apply(x, (fft_props){n, FFT_REAL, 0, 0});
}

static gg_var *irfft(gg_var *x, int n) {
  x = gg_mul(x, weights(gg_var_graph(x), n, 1));
  return apply(x, (fft_props){n, FFT_HALF, 1, 1});
}

static gg_var *fft(gg_var *x, int n) {
  return apply(x, (fft_props){n, FFT_COMPLEX, 0, 0});
}

static gg_var *ifft(gg_var *x, int n) {
  return apply(x, (fft_props){n, FFT_COMPLEX, 1, 1});
}

/* The transform the other way round; half spectra count most terms twice on
 * one side and once on the other. */
static int fft_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  const fft_props *f = a->props;
  const fft_props back = {f->n, kind_out(f), !f->inverse, f->scaled};
  gg_graph *g = gg_var_graph(gout[0]);

  if (f->from == FFT_REAL)
    gin[0] = apply(gg_mul(gout[0], weights(g, f->n, 0.5f)), back);
  else if (f->from == FFT_HALF)
    gin[0] = gg_mul(apply(gout[0], back), weights(g, f->n, 2));
  else
    gin[0] = apply(gout[0], back);
  return GA_NO_ERROR;
}

/* --- use --- */

static void set_up(void) {
  const clfftSetupData setup = {.major = clfftVersionMajor,
                                .minor = clfftVersionMinor,
                                .patch = clfftVersionPatch};

  if (clfftSetup(&setup) != CLFFT_SUCCESS)
    example_fail("clfftSetup", "failed");
}

/* Two cosines and a constant: a spectrum of three lines. Its inverse is what it
 * was made of, and as complex numbers it comes back from there and back. */
int main(void) {
  enum { LENGTH = 16, HALF = LENGTH / 2 + 1 };
  float v[LENGTH], lines[HALF][2], same[HALF][2], again[LENGTH];
  gg_graph *g = example_open();

  set_up();
  for (int i = 0; i < LENGTH; i++) {
    const float t = 6.2831853f * (float)i / LENGTH;
    v[i] = 0.5f + cosf(t) + 0.25f * cosf(3 * t);
  }
  gg_var *y = rfft(example_shared(g, 1, LENGTH, v), LENGTH);
  example_read(y, lines, sizeof lines);
  example_read(ifft(fft(y, HALF), HALF), same, sizeof same);
  example_read(irfft(y, LENGTH), again, sizeof again);
  for (int k = 0; k < HALF; k++)
    printf("%d: %8.4f %8.4f %8.4f\n", k, (double)lines[k][0],
           (double)lines[k][1], (double)same[k][0]);
  for (int i = 0; i < LENGTH; i++)
    printf("%8.4f %8.4f\n", (double)v[i], (double)again[i]);
  example_close(g);
  return clfftTeardown() == CLFFT_SUCCESS ? 0 : 1;
}
