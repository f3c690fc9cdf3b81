/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of the graph library. A graph whose building failed is thrown away
 * and built anew, as a program would. */
#include <gpugraph/context.h>
#include <gpugraph/ifelse.h>
#include <gpugraph/save.h>
#include <gpugraph/scan.h>
#include <gpugraph/select.h>
#include <gpugraph/sizes.h>
#include <string.h>

#include "base/err.h"
#include "torture/scenario.h"

static const size_t square[2] = {8, 8}, four[1] = {4};

/* The code of a function that was not compiled, whose graph is dropped. */
static int compile(work *w, const gg_func_spec *spec) {
  int err = gg_graph_status(w->g);

  if (err == GA_NO_ERROR)
    err = gg_func_new(&w->f, w->g, spec);
  if (err == GA_NO_ERROR)
    return err;
  /* Under its code, so that the thread's message is the graph's. */
  ga__fail(err, "%s", gg_graph_error(w->g));
  gg_graph_free(w->g);
  w->g = NULL;
  memset(w->shared, 0, sizeof w->shared);
  return err;
}

static int new_graph(work *w) {
  w->g = gg_graph_new(w->ctx);
  return w->g != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int make_graph(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *y = gg_input(w->g, "y", GA_FLOAT, 2);
  gg_var *p = gg_softmax(gg_add(gg_dot(x, y), gg_f32(w->g, 1)));
  gg_var *sum = gg_sum_axis(p, 0);
  return compile(w, &(gg_func_spec){.name = "graph",
                                    .inputs = GG_VARS(x, y),
                                    .outputs = GG_VARS(p, sum)});
}

/* A product, a softmax and a reduction: several steps and temporaries. */
int run_graph(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(work_result(w, 1, GA_FLOAT, 1, (size_t[]){8}));
  GA_TRY(make_graph(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0], &w->in[1]},
                      (GpuArray *[]){&w->out[0], &w->out[1]}));
  return work_read(w);
}

static int make_stages(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_scan *s = gg_scan_open(w->g);
  gg_var *y = gg_scan_state_sized(s, gg_flatten(x), (int64_t[]){GG_ANY});
  gg_scan_next(s, y, gg_compress(y, gg_gt(y, gg_f32(w->g, -1e9f))));
  gg_scan_steps(s, gg_i64(w->g, 2));
  gg_scan_close(s);
  y = gg_scan_last(s, y);
  gg_scan_free(s);
  y = gg_compress(y, gg_gt(y, gg_f32(w->g, -1e9f)));
  return compile(w, &(gg_func_spec){.name = "stages",
                                    .inputs = GG_VARS(x),
                                    .outputs = GG_VARS(gg_exp(y), gg_sum(y))});
}

/* Counts that the device computes, also inside of a loop, and what is planned
 * behind them. */
int run_stages(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, (size_t[]){4, 4}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, (size_t[]){16}));
  GA_TRY(work_result(w, 1, GA_FLOAT, 0, NULL));
  GA_TRY(make_stages(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]},
                      (GpuArray *[]){&w->out[0], &w->out[1]}));
  return work_read(w);
}

static int make_update(work *w) {
  float old[4];

  memset(old, WORK_OLD, sizeof old);
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *v = gg_shared_host(w->g, "v", GA_FLOAT, 1, four, old);
  gg_var *u = gg_shared_host(w->g, "u", GA_FLOAT, 1, four, old);
  gg_var *v1 = gg_add(v, gg_sum_axis(x, 0));
  gg_var *u1 = gg_mul(gg_add(u, v), gg_f32(w->g, 0.5f));
  w->shared[0] = v;
  w->shared[1] = u;
  return compile(w, &(gg_func_spec){.name = "update",
                                    .inputs = GG_VARS(x),
                                    .updates = GG_UPDATES({v, v1}, {u, u1})});
}

static int call_update(work *w) {
  float old[4];

  memset(old, WORK_OLD, sizeof old);
  GA_TRY(gg_shared_write(w->shared[0], old, sizeof old));
  GA_TRY(gg_shared_write(w->shared[1], old, sizeof old));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]}, NULL));
  return work_read(w);
}

int run_update(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, (size_t[]){8, 4}));
  GA_TRY(make_update(w));
  return call_update(w);
}

/* --- the same, prepared ahead of the call --- */

int run_prepared(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, (size_t[]){8, 4}));
  GA_TRY(make_update(w));
  GA_TRY(gg_func_prepare(w->f, &(gg_dims){2, {8, 4}}));
  return call_update(w);
}

/* --- the same, seen by a monitor that reads everything --- */

static int see_values(const gg_step_value *v, size_t n) {
  unsigned char seen[WORK_BYTES];

  for (size_t i = 0; i < n; i++)
    if (v[i].array.data != NULL)
      GA_TRY(GpuArray_read(seen, work_bytes(&v[i].array), &v[i].array));
  return GA_NO_ERROR;
}

static int see_step(void *unused, const gg_step *step) {
  (void)unused;
  GA_TRY(see_values(step->in, step->n_in));
  return see_values(step->out, step->n_out);
}

int run_monitored(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, (size_t[]){8, 4}));
  if (w->f == NULL) {
    GA_TRY(make_update(w));
    GA_TRY(gg_func_set_monitor(w->f, see_step, see_step, NULL));
  }
  return call_update(w);
}

/* --- a variable without a function of one's own --- */

static int make_eval(work *w) {
  if (w->g != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  w->x = gg_input(w->g, "x", GA_FLOAT, 2);
  w->y = gg_softmax(gg_mul(w->x, w->x));
  int err = gg_graph_status(w->g);
  if (err != GA_NO_ERROR) {
    ga__fail(err, "%s", gg_graph_error(w->g)); /* see compile() */
    gg_graph_free(w->g);
    w->g = NULL;
  }
  return err;
}

int run_eval(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(make_eval(w));
  w->is_old = 1;
  int err = gg_eval(w->y, GG_VALUES({w->x, &w->in[0]}), &w->out[0]);
  if (err != GA_NO_ERROR) {
    ga__fail(err, "%s", gg_graph_error(w->g));
    gg_graph_reset_error(w->g);
    return err;
  }
  return work_read(w);
}

/* --- an op of one's own, with a kernel of one's own --- */

static int prepare_tenfold(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                           int *slot_out) {
  gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ},
                            {"y", GA_FLOAT, GE_WRITE}};
  void *arrays[] = {p->in[0], p->out[0]};
  GpuElemwise *ge = GpuElemwise_new(p->ctx, NULL, "y = 10 * x", 2, args, 2, 0);

  if (ge == NULL)
    return gpuarray_error_code();
  slot_in[0] = 0;
  slot_out[0] = 1;
  int err = GpuElemwise_prepare(out, ge, arrays, 0);
  GpuElemwise_free(ge);
  return err;
}

static int same_shape(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  (void)a;
  (void)host;
  out[0] = in[0];
  return GA_NO_ERROR;
}

static const gg_op tenfold = {.name = "tenfold",
                              .kind = GG_OP_KERNEL,
                              .n_out = 1,
                              .shape = same_shape,
                              .prepare = prepare_tenfold};

static int make_custom(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *y = gg_op_apply(w->g, &tenfold, NULL, 1, (gg_var *[]){gg_exp(x)});
  return compile(w, &(gg_func_spec){.name = "custom",
                                    .inputs = GG_VARS(x),
                                    .outputs = GG_VARS(gg_add(y, x))});
}

int run_custom(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(make_custom(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}

/* --- a loop --- */

static int make_loop(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *xs = gg_input(w->g, "xs", GA_FLOAT, 2);
  gg_var *h0 = gg_input(w->g, "h0", GA_FLOAT, 1);
  gg_scan *s = gg_scan_open(w->g);
  gg_var *x = gg_scan_sequence(s, xs, 0);
  gg_var *h = gg_scan_state(s, h0);
  gg_scan_next(s, h, gg_tanh(gg_add(x, h)));
  gg_scan_close(s);
  gg_var *hs = gg_scan_all(s, h);
  gg_scan_free(s);
  return compile(w, &(gg_func_spec){.name = "loop",
                                    .inputs = GG_VARS(xs, h0),
                                    .outputs = GG_VARS(hs)});
}

int run_loop(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_input(w, 1, 1, (size_t[]){8}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(make_loop(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0], &w->in[1]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}

/* --- sizes that a vector decides, and what follows from sizes --- */

static int make_sizes(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *n = gg_input_sized(w->g, "n", GA_LONG, 1, (int64_t[]){2});
  gg_var *s = gg_mul(n, gg_floordiv(gg_shape_vector(x), gg_i64(w->g, 8)));
  gg_scan *loop = gg_scan_open(w->g);
  gg_var *row = gg_scan_sequence(loop, x, 0);
  gg_var *y = gg_mul(gg_reshape_vector(row, s), gg_f32(w->g, 2));
  gg_scan_output(loop, y);
  gg_scan_close(loop);
  gg_var *ys = gg_neg(gg_scan_all(loop, y));
  gg_scan_free(loop);
  return compile(w, &(gg_func_spec){.name = "sizes",
                                    .inputs = GG_VARS(x, n),
                                    .outputs = GG_VARS(ys)});
}

int run_sizes(work *w) {
  static const int64_t n[2] = {2, 4};

  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_data(w, 1, GA_LONG, 1, (size_t[]){2}, n));
  GA_TRY(work_result(w, 0, GA_FLOAT, 3, (size_t[]){8, 2, 4}));
  GA_TRY(make_sizes(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0], &w->in[1]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}

/* --- a choice --- */

static int make_choice(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *is_positive = gg_gt(gg_sum(x), gg_f32(w->g, 0));
  gg_var *yes = gg_softmax(gg_mul(x, x));
  gg_var *no = gg_dot(x, x);
  return compile(
      w, &(gg_func_spec){.name = "choice",
                         .inputs = GG_VARS(x),
                         .outputs = GG_VARS(gg_ifelse(is_positive, yes, no))});
}

int run_choice(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, square));
  GA_TRY(make_choice(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}

/* --- a function on two contexts --- */

static int make_there(work *w) {
  if (w->f != NULL)
    return GA_NO_ERROR;
  GA_TRY(new_graph(w));
  gg_var *x = gg_input(w->g, "x", GA_FLOAT, 2);
  gg_var *there = gg_exp(gg_transfer(gg_mul(x, x), w->other));
  return compile(w, &(gg_func_spec){.name = "there",
                                    .inputs = GG_VARS(x),
                                    .outputs = GG_VARS(gg_transfer(
                                        gg_sum_axis(there, 0), w->ctx))});
}

int run_there(work *w) {
  GA_TRY(work_open(w));
  if (w->other == NULL)
    GA_TRY(gpucontext_open(&w->other, NULL));
  GA_TRY(work_input(w, 0, 2, square));
  GA_TRY(work_result(w, 0, GA_FLOAT, 1, (size_t[]){8}));
  GA_TRY(make_there(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}

/* --- a graph that was saved and loaded --- */

static int save_graph(gg_graph *g, const char *path) {
  const float c[4] = {1, 2, 3, 4};
  gg_var *x = gg_input(g, "x", GA_FLOAT, 2);
  gg_var *v = gg_shared_host(g, "v", GA_FLOAT, 1, four, c);

  gg_graph_add_func(g, &(gg_func_spec){.name = "f",
                                       .inputs = GG_VARS(x),
                                       .outputs = GG_VARS(gg_mul(x, v))});
  GA_TRY(gg_graph_status(g));
  return gg_graph_save(g, path);
}

static int make_saved(work *w) {
  char path[WORK_PATH];

  if (w->f != NULL)
    return GA_NO_ERROR;
  work_path(path, "torture.graph");
  GA_TRY(new_graph(w));
  int err = save_graph(w->g, path);
  if (gg_graph_status(w->g) != GA_NO_ERROR) /* under its code: see compile() */
    ga__fail(err, "%s", gg_graph_error(w->g));
  gg_graph_free(w->g);
  w->g = NULL;
  GA_TRY(err);
  GA_TRY(new_graph(w));
  gg_graph_load(w->g, path);
  return compile(w, gg_graph_func(w->g, "f"));
}

int run_saved(work *w) {
  GA_TRY(work_open(w));
  GA_TRY(work_input(w, 0, 2, (size_t[]){8, 4}));
  GA_TRY(work_result(w, 0, GA_FLOAT, 2, (size_t[]){8, 4}));
  GA_TRY(make_saved(w));
  w->is_old = 1;
  GA_TRY(gg_func_call(w->f, (GpuArray *[]){&w->in[0]},
                      (GpuArray *[]){&w->out[0]}));
  return work_read(w);
}
