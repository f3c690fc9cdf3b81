/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan: where every value lies, and a prepared launch for each kernel.
 *
 * Steps are visited in order. A value gets its place when it is computed: in an
 * output, in a shared variable or its spare, or in a temporary, which is handed
 * on when the last step that reads it is done. Views get no launch, only
 * another offset and other strides. */
#include <string.h>

#include "base/dtype.h"
#include "plan/builder.h"

/* --- launches and their slots --- */

int gg__add_launch(gg__builder *b, GpuLaunch *l, double flops) {
  const gg__planned x = {.launch = l, .step = b->step, .flops = flops};
  int err = ga__vec_push(&b->plan->launches, x);

  if (err != GA_NO_ERROR)
    GpuLaunch_free(l);
  return err;
}

int gg__add_transfer(gg__builder *b, GpuTransfer *t, int is_end) {
  const gg__planned x = {.transfer = t, .is_end = is_end, .step = b->step};
  int err = ga__vec_push(&b->plan->launches, x);

  if (err != GA_NO_ERROR && !is_end)
    GpuTransfer_free(t);
  return err;
}

/* Slot `slot` of the last launch holds what lies at `x`, `off` bytes on. */
int gg__add_binding(gg__builder *b, unsigned int slot, const gg__place *x,
                    size_t off) {
  const gg__binding y = {(unsigned int)b->plan->launches.n - 1, slot, x->store,
                         x->rel + (ssize_t)off};

  return ga__vec_push(&b->plan->bindings, y);
}

int gg__bind_values(gg__builder *b, const unsigned int *v, unsigned int n,
                    unsigned int first_slot) {
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(gg__add_binding(b, first_slot + i, &b->places[v[i]], 0));
  return GA_NO_ERROR;
}

void gg__drop_launches(gg__plan *p, size_t n_launches, size_t n_bindings) {
  while (p->launches.n > n_launches) {
    const gg__planned *x = &p->launches.v[--p->launches.n];
    GpuLaunch_free(x->launch);
    if (!x->is_end)
      GpuTransfer_free(x->transfer);
  }
  p->bindings.n = n_bindings;
}

/* --- maps and reductions --- */

/* Arguments for a body: arrays, numbers, and room for outputs. */
void **gg__body_arguments(gg__builder *b, const gg__body *body) {
  const size_t n = body->n_in + body->n_scalars + body->n_out;
  void **args = gg__room(b, n, sizeof *args);
  gg__array *arrays = gg__room(b, body->n_in + body->n_out, sizeof *arrays);
  double(*numbers)[2] = gg__room(b, body->n_scalars, sizeof *numbers);

  if (args == NULL || arrays == NULL || numbers == NULL)
    return NULL;
  for (unsigned int i = 0; i < body->n_in; i++) {
    gg__array_of(b, body->in[i], &arrays[i]);
    args[i] = &arrays[i].a;
  }
  for (unsigned int i = 0; i < body->n_scalars; i++) {
    unsigned int v = body->scalars[i];
    ga__dtype_from_double(gg__value_at(b, v)->var->type.dtype, numbers[i],
                          b->sizes->number[v]);
    args[body->n_in + i] = numbers[i];
  }
  for (unsigned int i = 0; i < body->n_out; i++) {
    gg__array_of(b, body->out[i], &arrays[body->n_in + i]);
    args[body->n_in + body->n_scalars + i] = &arrays[body->n_in + i].a;
  }
  return args;
}

int gg__need_places(gg__builder *b, const unsigned int *v, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(gg__need_place(b, v[i]));
  return GA_NO_ERROR;
}

void gg__release_values(gg__builder *b, const unsigned int *v, unsigned int n) {
  for (unsigned int i = 0; i < n; i++)
    gg__release_value(b, v[i]);
}

static int same_item(const gg__builder *b, unsigned int v, unsigned int w) {
  return ga__dtype_size(gg__value_at(b, v)->var->type.dtype) ==
         ga__dtype_size(gg__value_at(b, w)->var->type.dtype);
}

/* A map reads and writes element by element, so an output may have the memory
 * of an input that dies. */
static int put_map_output(gg__builder *b, const gg__body *body,
                          unsigned int v) {
  for (unsigned int i = 0; i < body->n_in; i++) {
    unsigned int in = body->in[i];
    if (gg__may_take_over(b, v, in) &&
        gg__value_at(b, in)->space == gg__value_at(b, v)->space &&
        same_item(b, in, v)) {
      gg__take_over(b, v, in);
      return GA_NO_ERROR;
    }
  }
  return gg__put_output(b, v);
}

static double body_flops(const gg__builder *b, const gg__body *body,
                         unsigned int like) {
  return (double)body->flops * (double)gg__dims_size(&b->sizes->dims[like]);
}

static int plan_map(gg__builder *b, gg__step *s) {
  const gg__body *m = &s->map;
  GpuLaunch *l = NULL;

  GA_TRY(gg__need_places(b, m->in, m->n_in));
  for (unsigned int i = 0; i < m->n_out; i++)
    GA_TRY(put_map_output(b, m, m->out[i]));
  GA_TRY(gg__step_kernel(b->p, s));
  void **args = gg__body_arguments(b, m);
  if (args == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(GpuElemwise_prepare(&l, s->ge, args, GE_BROADCAST));
  GA_TRY(gg__add_launch(b, l, body_flops(b, m, m->out[0])));
  GA_TRY(gg__bind_values(b, m->in, m->n_in, 0));
  GA_TRY(gg__bind_values(b, m->out, m->n_out, m->n_in + m->n_scalars));
  gg__release_values(b, m->in, m->n_in);
  return GA_NO_ERROR;
}

void gg__expand_array(gg__array *a, unsigned int nd,
                      const unsigned char *reduced) {
  unsigned int from = a->a.nd;

  if (a->a.nd == nd)
    return;
  for (unsigned int k = nd; k-- > 0;) {
    if (reduced[k]) {
      a->dims[k] = 1;
      a->strides[k] = 0;
    } else {
      from--;
      a->dims[k] = a->dims[from];
      a->strides[k] = a->strides[from];
    }
  }
  a->a.nd = nd;
  GpuArray_fix_flags(&a->a);
}

static int prepare_reduction(gg__builder *b, gg__step *s, GpuLaunch **l) {
  const gg_reduce_props *r = s->apply->props;
  const gg_dims *d = &b->sizes->dims[gg__in(b->p, s->apply, 0)];
  void **in = gg__body_arguments(b, &s->map),
       **post = gg__body_arguments(b, &s->post);
  unsigned char reduced[GG_MAX_ND];

  if (in == NULL || post == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < d->nd; i++)
    reduced[i] = r->axes_mask >> i & 1u;
  for (unsigned int i = 0; i < s->post.n_in + s->post.n_scalars + s->post.n_out;
       i++)
    if (i < s->post.n_in || i >= s->post.n_in + s->post.n_scalars)
      gg__expand_array((gg__array *)post[i], d->nd, reduced);
  return GpuReduction_prepare(l, s->re, d->nd, d->dim, reduced, in, post);
}

static int plan_reduction(gg__builder *b, gg__step *s) {
  const gg__body *m = &s->map, *t = &s->post;
  const unsigned int from = gg__in(b->p, s->apply, 0);
  const unsigned int first = m->n_in + m->n_scalars;
  GpuLaunch *l = NULL;

  GA_TRY(gg__need_places(b, m->in, m->n_in));
  GA_TRY(gg__need_places(b, t->in, t->n_in));
  for (unsigned int i = 0; i < t->n_out; i++)
    GA_TRY(gg__put_output(b, t->out[i]));
  GA_TRY(gg__step_kernel(b->p, s));
  GA_TRY(prepare_reduction(b, s, &l));
  double flops = body_flops(b, m, from) + body_flops(b, t, t->out[0]) +
                 (double)gg__dims_size(&b->sizes->dims[from]);
  GA_TRY(gg__add_launch(b, l, flops));
  GA_TRY(gg__bind_values(b, m->in, m->n_in, 0));
  GA_TRY(gg__bind_values(b, t->in, t->n_in, first));
  GA_TRY(gg__bind_values(b, t->out, t->n_out, first + t->n_in + t->n_scalars));
  gg__release_values(b, m->in, m->n_in);
  gg__release_values(b, t->in, t->n_in);
  return GA_NO_ERROR;
}

/* --- copies --- */

int gg__plan_copy(gg__builder *b, unsigned int v, const gg__place *to) {
  GpuElemwise *copier;
  GpuLaunch *l = NULL;
  gg__array from, into;
  void *args[2];

  gg__array_of(b, v, &from);
  gg__make_array(b, v, to, &into);
  args[0] = &from.a;
  args[1] = &into.a;
  GA_TRY(gg__copier_get(b->f, gg__value_at(b, v)->context, from.a.typecode,
                        &copier));
  GA_TRY(GpuElemwise_prepare(&l, copier, args, 0));
  GA_TRY(gg__add_launch(b, l, 0));
  GA_TRY(gg__add_binding(b, 0, &b->places[v], 0));
  return gg__add_binding(b, 1, to, 0);
}

/* Copy v in C order to a temporary, which the caller releases. */
int gg__copy_to_temp(gg__builder *b, unsigned int v, gg__place *to) {
  memset(to, 0, sizeof *to);
  GA_TRY(gg__temp_store(b, v, gg__value_bytes(b, v), &to->store));
  gg__c_strides(b, v, to->strides);
  return gg__plan_copy(b, v, to);
}

/* Can an output be a view of what lies in the store after the call? */
static int can_lend(const gg__builder *b, unsigned int store) {
  const gg__store *s = &b->plan->stores.v[store];

  switch (s->kind) {
  case GG_STORE_INPUT:
  case GG_STORE_OUTPUT:
  case GG_STORE_CONST:
    return 1;
  case GG_STORE_SHARED:
    return b->p->shared.v[s->number].result == GG_NONE;
  case GG_STORE_SPARE: /* changes places when the call is done */
  case GG_STORE_TEMP:
  case GG_STORE_TABLE: /* goes with the plan */
    break;
  }
  return 0;
}

/* Output `result` is what lies at `x`. The store is never handed on. */
static int lend(gg__builder *b, unsigned int result, const gg__place *x) {
  gg__lent y = {.output = result, .store = x->store, .rel = x->rel};

  memcpy(y.strides, x->strides, sizeof y.strides);
  gg__retain_store(b, x->store);
  return ga__vec_push(&b->plan->lent, y);
}

/* Outputs that were computed in the memory of inputs. */
static int lend_overwritten(gg__builder *b) {
  for (unsigned int k = 0; k < b->p->n_outputs; k++) {
    const gg__place *x = &b->places[b->p->results.v[k].value];
    if (b->p->results.v[k].direct && gg__is_borrowed(b, k) &&
        x->store != GG_NONE &&
        b->plan->stores.v[x->store].kind == GG_STORE_INPUT)
      GA_TRY(lend(b, k, x));
  }
  return GA_NO_ERROR;
}

static int plan_result_copy(gg__builder *b, const gg__step *s) {
  gg__place to;

  memset(&to, 0, sizeof to);
  GA_TRY(gg__need_place(b, s->from));
  if (gg__is_borrowed(b, s->result) && can_lend(b, b->places[s->from].store)) {
    GA_TRY(lend(b, s->result, &b->places[s->from]));
  } else if (!gg__lies_in_result(b, s->from, s->result)) {
    GA_TRY(gg__result_store(b, s->result, 0, &to.store));
    gg__c_strides(b, s->from, to.strides);
    GA_TRY(gg__plan_copy(b, s->from, &to));
  }
  gg__release_value(b, s->from);
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int plan_step(gg__builder *b, gg__step *s) {
  switch (s->kind) {
  case GG_STEP_MAP:
    return plan_map(b, s);
  case GG_STEP_REDUCE:
    return plan_reduction(b, s);
  case GG_STEP_ROWS:
    return gg__plan_rows(b, s);
  case GG_STEP_VIEW:
    return gg__plan_view(b, s);
  case GG_STEP_KERNEL:
    return gg__plan_kernel(b, s);
  case GG_STEP_INNER:
    return gg__plan_inner(b, s);
  case GG_STEP_SEND:
    return gg__plan_send(b, s);
  case GG_STEP_RECEIVE:
    return gg__plan_receive(b, s);
  case GG_STEP_COPY:
    break;
  }
  return plan_result_copy(b, s);
}

/* Sort the bindings by store, so that each store has a row of them. */
static int sort_bindings(gg__plan *p) {
  gg__binding *sorted = ga__malloc(p->bindings.n * sizeof *sorted);
  unsigned int first = 0;

  if (sorted == NULL)
    return ga__fail_nomem();
  for (size_t k = 0; k < p->bindings.n; k++)
    p->stores.v[p->bindings.v[k].store].n++;
  for (size_t k = 0; k < p->stores.n; k++) {
    p->stores.v[k].first = first;
    first += p->stores.v[k].n;
    p->stores.v[k].n = 0;
  }
  for (size_t k = 0; k < p->bindings.n; k++) {
    gg__store *s = &p->stores.v[p->bindings.v[k].store];
    sorted[s->first + s->n++] = p->bindings.v[k];
  }
  ga__free(p->bindings.v);
  p->bindings.v = sorted;
  p->bindings.cap = p->bindings.n;
  return GA_NO_ERROR;
}

/* Intermediate buffers of what is inside of loops and choices. */
static size_t inner_bytes(const gg__program *p) {
  size_t bytes = 0;

  for (size_t k = 0; k < p->nodes.n; k++)
    for (int i = 0; i < 2; i++) {
      const gg_func *f = p->nodes.v[k].inner[i];
      for (size_t t = 0; f != NULL && t < f->temps.n; t++)
        bytes += f->temps.v[t].bytes;
      bytes += f != NULL ? inner_bytes(&f->p) : 0;
    }
  return bytes;
}

static int measure_launch(gg_func *f, gg__plan *p, const gg__planned *x) {
  GpuLaunchStats st;

  GA_TRY(GpuLaunch_stats(x->launch, &st));
  p->n_kernels += st.kernels;
  p->n_host += strcmp(st.provider, gg__host_provider) == 0;
  return GpuLaunch_label(x->launch, f->p.steps.v[x->step]->label);
}

static int measure(gg_func *f, gg__plan *p) {
  for (size_t k = 0; k < p->launches.n; k++) {
    const gg__planned *x = &p->launches.v[k];
    p->n_transfers += x->transfer != NULL && x->is_end;
    if (x->launch != NULL)
      GA_TRY(measure_launch(f, p, x));
  }
  for (size_t k = 0; k < p->stores.n; k++)
    if (p->stores.v[k].kind == GG_STORE_TEMP)
      p->temp_bytes += f->temps.v[p->stores.v[k].number].bytes;
  p->temp_bytes += inner_bytes(&f->p);
  return GA_NO_ERROR;
}

/* List the stores that change from call to call, and forget what is bound:
 * temporaries may have been replaced since launches were prepared with them. */
static int finish_stores(gg__plan *p) {
  for (size_t k = 0; k < p->stores.n; k++) {
    gg__store *s = &p->stores.v[k];
    s->data = NULL;
    if (s->kind == GG_STORE_INPUT || s->kind == GG_STORE_OUTPUT ||
        s->kind == GG_STORE_SHARED || s->kind == GG_STORE_SPARE)
      GA_TRY(ga__vec_push(&p->outside, (unsigned int)k));
  }
  return GA_NO_ERROR;
}

const gg_var *gg__step_var(const gg__program *p, const gg__step *s) {
  if (s->kind == GG_STEP_COPY)
    return p->values.v[s->from].var;
  if (s->kind == GG_STEP_ROWS)
    return s->rows->items[0].apply->out[0];
  return (s->kind == GG_STEP_MAP ? s->map.nodes[0] : s->apply)->out[0];
}

/* Put the step's name in front of the message, and where its first node was
 * built behind it. */
static int fail_step(const gg__program *p, const gg__step *s, int err) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_appendf(&b, "%s: %s", s->label, ga__err_text(err));
  gg__site_append(&b, &gg__step_var(p, s)->site);
  if (b.err == GA_NO_ERROR)
    ga__fail_text(err, ga__strb_text(&b));
  ga__strb_clear(&b);
  return err;
}

int gg__plan_new(gg__plan **out, gg_func *f, const gg__sizes *sizes,
                 GpuArray *const *in) {
  gg__builder b = {.f = f, .p = &f->p, .sizes = sizes, .in = in};
  int err;

  *out = NULL;
  b.temps.f = f;
  b.plan = ga__calloc(1, sizeof *b.plan);
  if (b.plan == NULL)
    return ga__fail_nomem();
  b.plan->key = ga__memdup(f->key, f->n_key * sizeof *f->key);
  if (b.plan->key == NULL)
    GA_CHECK(ga__fail_nomem());
  GA_CHECK(gg__builder_init(&b));
  for (b.step = 0; b.step < f->p.steps.n; b.step++) {
    err = plan_step(&b, f->p.steps.v[b.step]);
    if (err != GA_NO_ERROR)
      err = fail_step(&f->p, f->p.steps.v[b.step], err);
    GA_CHECK(err);
    if (f->watch != 0)
      GA_CHECK(gg__plan_seen(&b));
    ga__arena_clear(&b.arena);
  }
  GA_CHECK(lend_overwritten(&b));
  GA_CHECK(sort_bindings(b.plan));
  GA_CHECK(measure(f, b.plan));
  GA_CHECK(finish_stores(b.plan));
  *out = b.plan;
  b.plan = NULL;
done:
  gg__builder_clear(&b);
  gg__plan_free(b.plan);
  return err;
}

void gg__plan_free(gg__plan *p) {
  if (p == NULL)
    return;
  gg__drop_launches(p, 0, 0);
  for (size_t k = 0; k < p->tables.n; k++)
    gpudata_release(p->tables.v[k]);
  ga__vec_clear(&p->launches);
  ga__vec_clear(&p->bindings);
  ga__vec_clear(&p->stores);
  ga__vec_clear(&p->outside);
  ga__vec_clear(&p->tables);
  ga__vec_clear(&p->seen);
  ga__vec_clear(&p->lent);
  ga__free(p->results);
  ga__free(p->key);
  ga__free(p);
}
