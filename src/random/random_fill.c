/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws random numbers. Draws from Philox are elementwise expressions; MRG31k3p
 * has a kernel of its own. */
#include <gpuarray/device.h>

#include <string.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "array/random_check.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_random.h"
#include "codegen/template.h"
#include "ocl/launch/launch_cache.h"
#include "ocl/ocl.h"

enum { RESULT, STATE, NEXT, SLOTS };

/* A draw; all borrowed. */
typedef struct draw {
  GpuArray *a;
  ga_random what;
  double shift, scale;
  const GpuArray *state;
  GpuArray *next; /* or NULL */
} draw;

/* --- checks --- */

static int check_scale(const draw *d) {
  if (d->what == GA_RANDOM_BITS && (d->shift != 0 || d->scale != 1))
    return ga__fail(GA_VALUE_ERROR, "random bits cannot be scaled");
  return GA_NO_ERROR;
}

static int check_state(const GpuArray *state, const GpuArray *a,
                       const char *name) {
  GA_TRY(ga__operand_check_array(name, state, GpuArray_context(a),
                                 GA_OPERAND_ANY));
  GA_TRY(ga__operand_check_apart(name, state, "the result", a));
  return ga__random_is_mrg(state) ? ga__random_check_mrg(state, name)
                                  : ga__random_check(state, name);
}

static int check_next(const draw *d) {
  if (!ga__random_is_mrg(d->state)) {
    if (d->next == NULL)
      return GA_NO_ERROR;
    return ga__fail(GA_VALUE_ERROR,
                    "next: draws from Philox do not advance the state");
  }
  if (d->next == NULL)
    return ga__fail(GA_INVALID_ERROR, "next: no state");
  GA_TRY(check_state(d->next, d->a, "next"));
  if (d->next->dimensions[0] != d->state->dimensions[0])
    return ga__fail(GA_VALUE_ERROR, "next: expected %zu substreams, got %zu",
                    d->state->dimensions[0], d->next->dimensions[0]);
  if (!GpuArray_ISWRITEABLE(d->next))
    return ga__fail(GA_READONLY_ERROR, "next: not writeable");
  return GA_NO_ERROR;
}

static int check_draw(const draw *d) {
  GA_TRY(ga__array_check(d->a));
  GA_TRY(ga__operand_check_result("result", d->a, GpuArray_context(d->a),
                                  GA_OPERAND_ANY));
  GA_TRY(ga__random_check_type(d->what, d->a->typecode));
  GA_TRY(check_scale(d));
  if (ga__dtype_canon(d->a->typecode) == GA_DOUBLE &&
      !gpucontext_caps(GpuArray_context(d->a))->fp64)
    return ga__fail(GA_DEVSUP_ERROR, "the device has no float64");
  return check_state(d->state, d->a, "state");
}

/* --- Philox --- */

static int flag_of(ga_random what) {
  return what == GA_RANDOM_UNIFORM  ? GE_RANDOM_UNIFORM
         : what == GA_RANDOM_NORMAL ? GE_RANDOM_NORMAL
                                    : GE_RANDOM_BITS;
}

static int prepare_philox(GpuLaunch **out, const draw *d) {
  const int type = d->a->typecode, work = ga__dtype_work(type);
  const gpuelemwise_arg args[] = {{"z", type, GE_WRITE},
                                  {"x", type, flag_of(d->what)},
                                  {"scale", work, GE_SCALAR},
                                  {"shift", work, GE_SCALAR}};
  const int is_plain = d->what == GA_RANDOM_BITS;
  const float scale = (float)d->scale, shift = (float)d->shift;
  void *values[] = {d->a, (void *)d->state, (void *)&scale, (void *)&shift};
  GpuElemwise *ge = NULL;
  int err;

  if (work == GA_DOUBLE) {
    values[2] = (void *)&d->scale;
    values[3] = (void *)&d->shift;
  }
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(d->a), NULL,
                            is_plain ? "z = x" : "z = fma(scale, x, shift)",
                            is_plain ? 2 : 4, args, GE_VECTOR));
  GA_CHECK(GpuElemwise_prepare(out, ge, values, 0));
  GA_CHECK(GpuLaunch_label(*out, "random"));

done:
  GpuElemwise_free(ge);
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(*out);
    *out = NULL;
  }
  return err;
}

/* Prepare the launch that adds 1 to state[1], the index of the next draw. */
static int prepare_advance(GpuLaunch **out, const void *arg) {
  const GpuArray *state = arg;
  const gpuelemwise_arg args[] = {{"z", GA_ULONG, GE_READ | GE_WRITE}};
  const size_t dim = 1;
  const ssize_t stride = sizeof(uint64_t);
  GpuArray second = {0};
  void *values[] = {&second};
  GpuElemwise *ge = NULL;
  int err;

  *out = NULL;
  GA_CHECK(GpuArray_fromdata(&second, state->data,
                             state->offset + sizeof(uint64_t), GA_ULONG, 1,
                             &dim, &stride, 1));
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(state), NULL,
                            "z = z + (w_ulong)(1)", 1, args, GE_VECTOR));
  GA_CHECK(GpuElemwise_prepare(out, ge, values, 0));

done:
  GpuElemwise_free(ge);
  GpuArray_clear(&second);
  return err;
}

/* --- MRG31k3p --- */

static void add_real(GpuLaunch *l, int typecode, double v) {
  const float single = (float)v;

  if (ga__dtype_work(typecode) == GA_DOUBLE)
    ga__launch_value(l, -1, sizeof v, &v);
  else if (ga__dtype_kind(typecode) == GA_KIND_FLOAT)
    ga__launch_value(l, -1, sizeof single, &single);
  else if (ga__dtype_size(typecode) == 8)
    ga__launch_size(l, 0); /* bits are not scaled */
  else
    ga__launch_uint(l, 0);
}

static int add_mrg(GpuLaunch *l, const draw *d) {
  const gpudevice_caps *caps = gpucontext_caps(GpuArray_context(d->a));
  const unsigned int lanes = caps->is_cpu ? 8 : 1;
  const size_t n = ga__array_total(d->a), streams = d->state->dimensions[0];
  const size_t gs = ga__ceil_div(streams, lanes);
  const double bytes = (double)(n * GpuArray_ITEMSIZE(d->a));
  ga__strb macros = GA_STRB_INIT;
  const char *parts[2];
  const ga__source src = {.n = 2, .parts = parts, .entry = "mrg31k3p"};
  int err;

  ga__gen_random_mrg(&macros, d->what, d->a->typecode, lanes);
  GA_CHECK(macros.err);
  parts[0] = ga__strb_text(&macros);
  parts[1] = ga__template("random_mrg");
  ga__launch_kernel(l, &src, 1, &gs, NULL);
  ga__launch_slot(l, RESULT);
  ga__launch_offset(l, RESULT, 0);
  ga__launch_slot(l, STATE);
  ga__launch_offset(l, STATE, 0);
  ga__launch_slot(l, NEXT);
  ga__launch_offset(l, NEXT, 0);
  ga__launch_size(l, n);
  ga__launch_size(l, streams);
  add_real(l, d->a->typecode, d->shift);
  add_real(l, d->a->typecode, d->scale);
  ga__launch_cost(l, bytes, 0);

done:
  ga__strb_clear(&macros);
  return err;
}

static int prepare_mrg(GpuLaunch **out, const draw *d) {
  if (!GpuArray_IS_C_CONTIGUOUS(d->a))
    return ga__fail(GA_COPY_ERROR, "result: the array is not C contiguous");
  GpuLaunch *l = ga__launch_open(GpuArray_context(d->a), "random", SLOTS);
  if (l == NULL)
    return ga__fail_nomem();
  int err = add_mrg(l, d);
  if (err != GA_NO_ERROR)
    ga__launch_error(l, err);
  ga__launch_bind_array(l, RESULT, d->a);
  ga__launch_bind_array(l, STATE, d->state);
  ga__launch_bind_array(l, NEXT, d->next);
  for (unsigned int k = STATE; k <= NEXT; k++)
    ga__launch_require_align(l, k, sizeof(int32_t));
  ga__launch_require_align(l, RESULT, GpuArray_ITEMSIZE(d->a));
  return ga__launch_seal(out, l);
}

static int prepare_draw(GpuLaunch **out, const void *arg) {
  const draw *d = arg;

  *out = NULL;
  return ga__random_is_mrg(d->state) ? prepare_mrg(out, d)
                                     : prepare_philox(out, d);
}

int GpuRandom_fill_prepare(GpuLaunch **out, GpuArray *a, ga_random what,
                           double shift, double scale, const GpuArray *state,
                           GpuArray *next) {
  const draw d = {a, what, shift, scale, state, next};

  *out = NULL;
  GA_TRY(check_draw(&d));
  GA_TRY(check_next(&d));
  return prepare_draw(out, &d);
}

/* --- calls --- */

static int run_draw(const draw *d) {
  const void *const arrays[SLOTS] = {d->a, d->state, d->next};
  ga__launch_key key;

  ga__launch_key_start(&key, GpuArray_context(d->a), "random");
  ga__launch_key_number(&key, d->what);
  ga__launch_key_double(&key, d->shift);
  ga__launch_key_double(&key, d->scale);
  ga__launch_key_array(&key, d->a);
  ga__launch_key_array(&key, d->state);
  return ga__cached_run(
      &(ga__cached_call){.ctx = GpuArray_context(d->a),
                         .key = &key,
                         .n = ga__random_is_mrg(d->state) ? SLOTS : NEXT,
                         .values = arrays,
                         .prepare = prepare_draw,
                         .arg = d});
}

static int advance(const GpuArray *state) {
  const GpuArray second = {.data = state->data,
                           .offset = state->offset + sizeof(uint64_t)};
  const void *const arrays[] = {&second};
  ga__launch_key key;

  ga__launch_key_start(&key, GpuArray_context(state), "advance");
  ga__launch_key_array(&key, state);
  return ga__cached_run(&(ga__cached_call){.ctx = GpuArray_context(state),
                                           .key = &key,
                                           .n = 1,
                                           .values = arrays,
                                           .prepare = prepare_advance,
                                           .arg = state});
}

/* Draw into a contiguous copy first: MRG31k3p writes arrays in C order. */
static int run_copied(const draw *d) {
  draw plain = *d;
  GpuArray a = {0};
  int err;

  GA_CHECK(GpuArray_empty(&a, GpuArray_context(d->a), d->a->typecode, d->a->nd,
                          d->a->dimensions, GA_C_ORDER));
  plain.a = &a;
  GA_CHECK(run_draw(&plain));
  GA_CHECK(GpuArray_setarray(d->a, &a));

done:
  GpuArray_clear(&a);
  return err;
}

int GpuRandom_fill(GpuArray *a, ga_random what, double shift, double scale,
                   GpuArray *state) {
  draw d = {a, what, shift, scale, state, NULL};

  GA_TRY(check_draw(&d));
  if (!GpuArray_ISWRITEABLE(state))
    return ga__fail(GA_READONLY_ERROR, "state: the array is not writeable");
  if (ga__random_is_mrg(state)) {
    d.next = state;
    return GpuArray_IS_C_CONTIGUOUS(a) ? run_draw(&d) : run_copied(&d);
  }
  GA_TRY(run_draw(&d));
  return advance(state);
}

/* --- draws with an epilogue --- */

static int check_names(const GpuEpilogue *e) {
  int is_written = 0;

  if (e == NULL || e->text == NULL)
    return ga__fail(GA_VALUE_ERROR, "no epilogue");
  if (e->sum != NULL)
    return ga__fail(GA_VALUE_ERROR, "the sum of X beside a draw");
  if (e->front != NULL)
    return ga__fail(GA_VALUE_ERROR, "a map in front of a draw");
  for (unsigned int k = 0; k < e->n_args; k++) {
    const char *name = e->args[k].name;

    if (name != NULL && strcmp(name, "acc") == 0)
      return ga__fail(GA_VALUE_ERROR, "arg %u: the name acc is taken", k);
    is_written |= e->args[k].flags & GE_WRITE;
  }
  if (!is_written)
    return ga__fail(GA_VALUE_ERROR, "epilogue: none of %u arguments is written",
                    e->n_args);
  return GA_NO_ERROR;
}

int GpuRandom_epilogue_prepare(GpuLaunch **out, ga_random what, int typecode,
                               const GpuArray *state, const GpuEpilogue *e,
                               void **args) {
  gpuelemwise_arg *all = NULL;
  void **values = NULL;
  GpuElemwise *ge = NULL;
  int err;

  *out = NULL;
  GA_TRY(ga__array_check(state));
  GA_TRY(ga__random_check_type(what, typecode));
  GA_TRY(check_names(e));
  all = ga__calloc(e->n_args + 1, sizeof *all);
  values = ga__calloc(e->n_args + 1, sizeof *values);
  if (all == NULL || values == NULL)
    GA_CHECK(ga__fail_nomem());
  all[0] = (gpuelemwise_arg){"acc", typecode, flag_of(what)};
  values[0] = (void *)state;
  memcpy(all + 1, e->args, e->n_args * sizeof *all);
  memcpy(values + 1, args, e->n_args * sizeof *values);
  GA_CHECK(ga__elemwise_new(&ge, GpuArray_context(state), e->preamble, e->text,
                            e->n_args + 1, all,
                            e->flags & GE_VECTOR ? GE_VECTOR : GE_CONVERT_F16));
  GA_CHECK(GpuElemwise_prepare(out, ge, values, GE_BROADCAST));
  GA_CHECK(GpuLaunch_label(*out, "random"));

done:
  if (err != GA_NO_ERROR) {
    GpuLaunch_free(*out);
    *out = NULL;
  }
  GpuElemwise_free(ge);
  ga__free(values);
  ga__free(all);
  return err;
}
