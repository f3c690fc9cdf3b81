/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that are functions of the host. They run in order with the kernels, on
 * device arrays or on copies in host memory. */
#include <string.h>

#include "ops/value_size.h"
#include "plan/builder.h"

const char gg__host_provider[] = "host";

/* A node in one plan, with its arguments. All lists live in the arena. */
typedef struct performed {
  gg_prepare p;
  const gg_op *op;
  GpuArray *in, *out; /* sizes and strides stay; memory is set at each run */
  GpuArray **in_list, **out_list;
  const void **from;
  void **to;
  ga__arena arena;
} performed;

static void performed_free(void *state) {
  performed *x = state;
  ga__arena arena = x->arena; /* which holds x */

  if (x->p.state != NULL && x->op->state_free != NULL)
    x->op->state_free(x->p.state);
  ga__arena_clear(&arena);
}

/* --- once per plan --- */

/* Copy arrays with their sizes and strides. Returns 0 if memory is out. */
static int copy_arrays(ga__arena *m, unsigned int n, GpuArray *const *arrays,
                       GpuArray **copies, GpuArray ***list) {
  *copies = ga__arena_alloc(m, n * sizeof **copies);
  *list = ga__arena_alloc(m, n * sizeof **list);
  if (*copies == NULL || *list == NULL)
    return 0;
  for (unsigned int i = 0; i < n; i++) {
    const GpuArray *a = arrays[i];
    (*list)[i] = &(*copies)[i];
    (*copies)[i] = *a;
    (*copies)[i].dimensions =
        ga__arena_dup(m, a->dimensions, a->nd * sizeof *a->dimensions);
    (*copies)[i].strides =
        ga__arena_dup(m, a->strides, a->nd * sizeof *a->strides);
    if ((*copies)[i].dimensions == NULL || (*copies)[i].strides == NULL)
      return 0;
  }
  return 1;
}

/* Copy the scalars that are known, since those of the builder do not last.
 * Returns 0 if memory is out. */
static int copy_scalars(ga__arena *m, gg_prepare *p) {
  const double **copy = ga__arena_alloc(m, p->n_in * sizeof *copy);

  for (unsigned int i = 0; copy != NULL && i < p->n_in; i++)
    if (p->number[i] != NULL) {
      copy[i] = ga__arena_dup(m, p->number[i], sizeof *copy[i]);
      if (copy[i] == NULL)
        return 0;
    }
  p->number = copy;
  return copy != NULL;
}

static int make_host_copies(performed *x) {
  x->from = ga__arena_alloc(&x->arena, x->p.n_in * sizeof *x->from);
  x->to = ga__arena_alloc(&x->arena, x->p.n_out * sizeof *x->to);
  if (x->from == NULL || x->to == NULL)
    return 0;
  for (unsigned int i = 0; i < x->p.n_in + x->p.n_out; i++) {
    void *copy = ga__arena_alloc(
        &x->arena,
        gg__array_bytes(i < x->p.n_in ? &x->in[i] : &x->out[i - x->p.n_in]));
    if (copy == NULL)
      return 0;
    if (i < x->p.n_in)
      x->from[i] = copy;
    else
      x->to[i - x->p.n_in] = copy;
  }
  x->p.from = x->from;
  x->p.to = x->to;
  return 1;
}

static performed *performed_new(const gg_prepare *p) {
  ga__arena m = GA_ARENA_INIT;
  performed *x = ga__arena_alloc(&m, sizeof *x);

  if (x == NULL)
    goto nomem;
  x->p = *p;
  x->p.out_off = NULL;
  x->op = p->apply->op;
  if (!copy_arrays(&m, p->n_in, p->in, &x->in, &x->in_list) ||
      !copy_arrays(&m, p->n_out, p->out, &x->out, &x->out_list) ||
      !copy_scalars(&m, &x->p))
    goto nomem;
  x->p.in = x->in_list;
  x->p.out = x->out_list;
  x->arena = m;
  if (!x->op->on_host || make_host_copies(x))
    return x;
  m = x->arena;
nomem:
  ga__arena_clear(&m);
  return NULL;
}

/* --- at every run --- */

static void set_memory(unsigned int n, GpuArray *a, gpudata *const *bufs,
                       const size_t *offs) {
  for (unsigned int i = 0; i < n; i++)
    if (a[i].data != NULL) {
      a[i].data = bufs[i];
      a[i].offset = offs[i];
    }
}

static int read_inputs(performed *x) {
  for (unsigned int i = 0; i < x->p.n_in; i++)
    if (x->in[i].data != NULL && gg__array_bytes(&x->in[i]) != 0)
      GA_TRY(GpuArray_read((void *)x->from[i], gg__array_bytes(&x->in[i]),
                           &x->in[i]));
  return GA_NO_ERROR;
}

static int write_outputs(performed *x) {
  for (unsigned int i = 0; i < x->p.n_out; i++)
    if (gg__array_bytes(&x->out[i]) != 0)
      GA_TRY(GpuArray_write(&x->out[i], x->to[i], gg__array_bytes(&x->out[i])));
  return GA_NO_ERROR;
}

static int run(void *state, gpucontext *ctx, gpudata *const *bufs,
               const size_t *offs) {
  performed *x = state;

  (void)ctx;
  set_memory(x->p.n_in, x->in, bufs, offs);
  set_memory(x->p.n_out, x->out, bufs + x->p.n_in, offs + x->p.n_in);
  if (!x->op->on_host)
    return x->op->perform(&x->p);
  GA_TRY(read_inputs(x));
  GA_TRY(x->op->perform(&x->p));
  return write_outputs(x);
}

int gg__prepare_perform(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  performed *x = performed_new(p);
  const gg_op *op = p->apply->op;
  int err = GA_NO_ERROR;

  if (x == NULL)
    return ga__fail_nomem();
  if (op->state_new != NULL)
    err = op->state_new(&x->p, &x->p.state);
  if (err != GA_NO_ERROR) {
    x->p.state = NULL;
    performed_free(x);
    return err;
  }
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  GpuLaunch_host(l, run, x, performed_free,
                 op->on_host ? gg__host_provider : "perform");
  return GpuLaunch_close(out, l);
}
