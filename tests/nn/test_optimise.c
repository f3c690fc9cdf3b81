/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimisers and schedules over 100 steps against PyTorch's formulas, written
 * down once more in plain C. */
#include "support/graph_case.h"
#include "support/tmpfile.h"

#include <gpugraph/nn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two parameters, a vector and a scalar, which the tests see as one vector. */
enum { V = 5, N = V + 1, STEPS = 100, MOST = 32 };

static const double pull[N] = {1, 0.3, 2, 0.01, 5, 0.7};
static const double aim[N] = {1, -2, 0.5, 30, 0.1, -1};

/* --- the reference --- */

typedef struct model {
  double w[N], a[N], b[N], c[N]; /* parameters; what is remembered of them */
  double mean[N];                /* averages */
  double rate[N], decay[N];      /* factor; weight decay */
} model;

/* The gradients of sum(pull (w - aim)^2 / 2 - cos(w)), clipped. */
static void gradient(const model *m, const gg_optimiser *o, double *grad) {
  double sum = 0;

  for (int i = 0; i < N; i++) {
    grad[i] = pull[i] * (m->w[i] - aim[i]) + sin(m->w[i]);
    if (o->clip_value > 0)
      grad[i] = fmax(-o->clip_value, fmin(o->clip_value, grad[i]));
    sum += grad[i] * grad[i];
  }
  for (int i = 0; i < N && o->clip_norm > 0; i++)
    grad[i] *= fmin(1, o->clip_norm / (sqrt(sum) + 1e-6));
}

static double step_sgd(model *m, const gg_optimiser *o, int i, int t, double x,
                       double rate) {
  if (o->momentum == 0)
    return m->w[i] - rate * x;
  m->a[i] = t == 1 ? x : o->momentum * m->a[i] + (1 - o->dampening) * x;
  return m->w[i] - rate * (o->nesterov ? x + o->momentum * m->a[i] : m->a[i]);
}

static double step_adam(model *m, const gg_optimiser *o, int i, int t, double x,
                        double rate) {
  const double one = 1 - pow(o->beta1, t), two = 1 - pow(o->beta2, t);

  m->a[i] = o->beta1 * m->a[i] + (1 - o->beta1) * x;
  m->b[i] = o->beta2 * m->b[i] + (1 - o->beta2) * x * x;
  m->c[i] = fmax(m->c[i], m->b[i]);
  const double square = o->amsgrad ? m->c[i] : m->b[i];
  return m->w[i] -
         rate / one * m->a[i] / (sqrt(square) / sqrt(two) + o->epsilon);
}

static double step_rmsprop(model *m, const gg_optimiser *o, int i, double x,
                           double rate) {
  m->a[i] = o->alpha * m->a[i] + (1 - o->alpha) * x * x;
  m->b[i] = o->alpha * m->b[i] + (1 - o->alpha) * x;
  const double by = o->centered ? m->a[i] - m->b[i] * m->b[i] : m->a[i];
  const double step = x / (sqrt(by) + o->epsilon);
  m->c[i] = o->momentum * m->c[i] + step;
  return m->w[i] - rate * (o->momentum > 0 ? m->c[i] : step);
}

static double step_adagrad(model *m, const gg_optimiser *o, int i, int t,
                           double x, double rate) {
  m->a[i] = (t == 1 ? o->first_sum : m->a[i]) + x * x;
  return m->w[i] - rate / (1 + (t - 1) * o->rate_decay) * x /
                       (sqrt(m->a[i]) + o->epsilon);
}

static double step_adadelta(model *m, const gg_optimiser *o, int i, double x,
                            double rate) {
  m->a[i] = o->rho * m->a[i] + (1 - o->rho) * x * x;
  const double step =
      sqrt(m->b[i] + o->epsilon) / sqrt(m->a[i] + o->epsilon) * x;
  m->b[i] = o->rho * m->b[i] + (1 - o->rho) * step * step;
  return m->w[i] - rate * step;
}

static double step_lion(model *m, const gg_optimiser *o, int i, double x,
                        double rate) {
  const double way = o->beta1 * m->a[i] + (1 - o->beta1) * x;

  m->a[i] = o->beta2 * m->a[i] + (1 - o->beta2) * x;
  return m->w[i] - rate * ((way > 0) - (way < 0));
}

static double step_one(model *m, const gg_optimiser *o, int i, int t, double x,
                       double rate) {
  switch (o->kind) {
  case GG_SGD:
    return step_sgd(m, o, i, t, x, rate);
  case GG_ADAM:
    return step_adam(m, o, i, t, x, rate);
  case GG_RMSPROP:
    return step_rmsprop(m, o, i, x, rate);
  case GG_ADAGRAD:
    return step_adagrad(m, o, i, t, x, rate);
  case GG_ADADELTA:
    return step_adadelta(m, o, i, x, rate);
  default:
    return step_lion(m, o, i, x, rate);
  }
}

/* Step t, from 1. */
static void step(model *m, const gg_optimiser *o, int t, double rate) {
  double grad[N];

  gradient(m, o, grad);
  for (int i = 0; i < N; i++) {
    const double r = rate * m->rate[i];
    if (o->decoupled)
      m->w[i] *= 1 - r * m->decay[i];
    else
      grad[i] += m->decay[i] * m->w[i];
    m->w[i] = step_one(m, o, i, t, grad[i], r);
    if (t == 1)
      m->mean[i] = m->w[i];
    else
      m->mean[i] +=
          (m->w[i] - m->mean[i]) * (o->average == 1 ? 1.0 / t : 1 - o->average);
  }
}

/* --- the graph --- */

typedef struct trial {
  gg_optimiser how;
  double rates[STEPS];              /* where there is a schedule */
  double scalar_rate, scalar_decay; /* of the scalar; factor, or -1 */
  gg_params *p;
  gg_var *v, *s, *cost;
  model m;
} trial;

static trial trials[MOST];
static int n_trials;

static trial *add(gg_optimiser how) {
  trial *t = &trials[n_trials++];

  memset(t, 0, sizeof *t);
  t->how = how;
  t->scalar_rate = t->scalar_decay = -1;
  return t;
}

static void make_params(trial *t) {
  const size_t n = V;
  gg_params *own;

  t->p = gg_params_new(g, GA_DOUBLE, 3);
  own = gg_params_group(t->p, "a");
  t->v = gg_param(own, "v", 1, &n, gg_init_normal(0, 1));
  t->s =
      gg_param(gg_params_group(t->p, "b"), "s", 0, NULL, gg_init_normal(0, 1));
  assert_ok(gg_shared_read(t->v, t->m.w, V * sizeof(double)));
  assert_ok(gg_shared_read(t->s, &t->m.w[V], sizeof(double)));
  for (int i = 0; i < N; i++) {
    t->m.rate[i] = i == V && t->scalar_rate >= 0 ? t->scalar_rate : 1;
    t->m.decay[i] =
        i == V && t->scalar_decay >= 0 ? t->scalar_decay : t->how.decay;
  }
  if (t->scalar_rate >= 0)
    assert_ok(gg_params_rate(gg_params_group(t->p, "b"), t->scalar_rate));
  if (t->scalar_decay >= 0)
    assert_ok(gg_params_decay(gg_params_group(t->p, "b"), t->scalar_decay));
}

static gg_var *pulled(gg_var *w, gg_var *by, gg_var *to) {
  gg_var *d = gg_sub(w, to);

  return gg_sum(
      gg_sub(gg_mul(gg_mul(by, gg_sqr(d)), gg_f64(g, 0.5)), gg_cos(w)));
}

static void make_cost(trial *t) {
  const size_t n = V;

  t->cost = gg_add(pulled(t->v, gg_constant(g, GA_DOUBLE, 1, &n, pull),
                          gg_constant(g, GA_DOUBLE, 1, &n, aim)),
                   pulled(t->s, gg_f64(g, pull[V]), gg_f64(g, aim[V])));
}

/* One function makes the steps of all trials. */
static gg_func *make_function(void) {
  static gg_update all[MOST * 16];
  size_t n = 0;

  for (int i = 0; i < n_trials; i++) {
    const gg_update *u =
        gg_optimise(trials[i].p, trials[i].cost, &trials[i].how);
    if (u == NULL)
      fail_msg("trial %d: %s", i, gg_graph_error(g));
    for (; u->shared != NULL; u++) {
      assert_true(n + 1 < sizeof all / sizeof all[0]);
      all[n++] = *u;
    }
  }
  all[n] = (gg_update){NULL, NULL};
  return func_make(g, &(gg_func_spec){.updates = all});
}

static void check_trial(const trial *t, int i) {
  double w[N], mean[N];

  assert_ok(gg_shared_read(t->v, w, V * sizeof *w));
  assert_ok(gg_shared_read(t->s, &w[V], sizeof *w));
  for (int k = 0; k < N; k++)
    if (!(fabs(w[k] - t->m.w[k]) <= 1e-6 * fabs(t->m.w[k])))
      fail_msg("trial %d, parameter %d: %.17g, expected %.17g", i, k, w[k],
               t->m.w[k]);
  if (t->how.average == 0)
    return;
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(t->v, t->s)}),
          *averaged;
  assert_ok(gg_params_averaged(&averaged, t->p, f));
  func_run(averaged, NULL, (GpuArray *[]){&out, &out2});
  assert_ok(GpuArray_read(mean, V * sizeof *mean, &out));
  assert_ok(GpuArray_read(&mean[V], sizeof *mean, &out2));
  test_close(GA_DOUBLE, mean, t->m.mean, N, 1e-6, 0);
  gg_func_free(averaged);
  gg_func_free(f);
}

static void run_trials(void) {
  for (int i = 0; i < n_trials; i++)
    make_cost(&trials[i]);
  gg_func *f = make_function();
  for (int t = 1; t <= STEPS; t++) {
    func_run(f, NULL, NULL);
    for (int i = 0; i < n_trials; i++)
      step(&trials[i].m, &trials[i].how, t,
           trials[i].how.schedule != NULL ? trials[i].rates[t - 1]
                                          : trials[i].how.rate);
  }
  for (int i = 0; i < n_trials; i++) {
    check_trial(&trials[i], i);
    gg_params_free(trials[i].p);
  }
  n_trials = 0;
  gg_func_free(f);
}

static void defaults_are_those_of_formulas(void **state) {
  (void)state;
  test_need_double();
  add(gg_sgd(0.05));
  add(gg_adam(0.05));
  add(gg_adam_w(0.05));
  add(gg_rmsprop(0.01));
  add(gg_adagrad(0.1));
  add(gg_adadelta(1));
  add(gg_lion(0.01));
  for (int i = 0; i < n_trials; i++)
    make_params(&trials[i]);
  run_trials();
}

static void add_variants(void) {
  gg_optimiser o = gg_sgd(0.02);

  o.momentum = 0.9;
  add(o);
  o.nesterov = 1;
  o.decay = 0.1;
  add(o);
  o.nesterov = 0;
  o.dampening = 0.3;
  o.clip_value = 0.5;
  add(o);
  o = gg_adam(0.05);
  o.decay = 0.02;
  o.amsgrad = 1;
  o.average = 1;
  add(o)->scalar_rate = 0.5;
  o = gg_adam_w(0.02);
  o.beta1 = 0;
  o.clip_norm = 0.7;
  o.average = 0.9;
  add(o)->scalar_decay = 0;
  o = gg_rmsprop(0.01);
  o.centered = 1;
  o.momentum = 0.5;
  add(o);
  o = gg_adagrad(0.1);
  o.rate_decay = 0.1;
  o.first_sum = 0.5;
  o.decay = 0.01;
  add(o);
  o = gg_lion(0.01);
  o.decay = 0.1;
  add(o);
}

static void variants_are_those_of_formulas(void **state) {
  (void)state;
  test_need_double();
  add_variants();
  for (int i = 0; i < n_trials; i++)
    make_params(&trials[i]);
  run_trials();
}

/* --- schedules --- */

static double waved(double x, double from, double to) {
  return to + (from - to) / 2 * (1 + cos(acos(-1) * fmin(x, 1)));
}

static double wanted_rate(int kind, double t) {
  switch (kind) {
  case 0:
    return 0.05;
  case 1:
    return 0.1 * pow(0.5, floor(t / 30));
  case 2:
    return 0.1 * pow(0.97, t);
  case 3:
    return waved(t / 80, 0.1, 0.01);
  case 4:
    return t <= 29 ? waved(t / 29, 0.2 / 25, 0.2)
                   : waved((t - 29) / 70, 0.2, 0.2 / 25 / 1e4);
  default:
    return waved(t / 90, 0.1, 0) * (0.1 + 0.9 * fmin(t / 20, 1));
  }
}

static gg_var *made_rate(int kind, gg_var *t) {
  switch (kind) {
  case 0:
    return gg_rate_constant(t, 0.05);
  case 1:
    return gg_rate_step(t, 0.1, 30, 0.5);
  case 2:
    return gg_rate_exponential(t, 0.1, 0.97);
  case 3:
    return gg_rate_cosine(t, 0.1, 80, 0.01);
  case 4:
    return gg_rate_one_cycle(t, 0.2, 100, 0.3);
  default:
    return gg_rate_warm_up(gg_rate_cosine(t, 0.1, 90, 0), t, 20, 0.1);
  }
}

static void schedules_are_those_of_formulas(void **state) {
  (void)state;
  test_need_double();
  for (int kind = 0; kind < 6; kind++) {
    trial *t = add(gg_sgd(0));
    make_params(t);
    t->how.schedule = made_rate(kind, gg_params_step(t->p));
    assert_non_null(t->how.schedule);
    for (int k = 0; k < STEPS; k++)
      t->rates[k] = wanted_rate(kind, k);
  }
  run_trials();
}

/* --- going on --- */

static void run_steps(gg_func *f, int n, double *w) {
  for (int i = 0; i < n; i++)
    func_run(f, NULL, NULL);
  assert_ok(gg_shared_read(trials[0].v, w, V * sizeof *w));
}

/* With dropout, so that there are random numbers to go on with. */
static void training_goes_on_with_the_same_bits(void **state) {
  const char *path = test_file_path("training.safetensors");
  double one[V], other[V];

  (void)state;
  test_need_double();
  trial *t = add(gg_adam(0.05));
  make_params(t);
  make_cost(t);
  t->cost = gg_add(t->cost, gg_sum(gg_nn_dropout(t->p, t->v, 0.5)));
  gg_func *f = make_function();
  run_steps(f, 3, one);
  assert_ok(gg_params_save_training(t->p, path));
  run_steps(f, 4, one);
  run_steps(f, 2, other);
  assert_memory_not_equal(one, other, sizeof one);
  assert_ok(gg_params_load_training(t->p, path));
  run_steps(f, 4, other);
  assert_memory_equal(one, other, sizeof one);
  assert_int_equal(gg_params_count(t->p), 2);
  gg_func_free(f);
  gg_params_free(t->p);
  n_trials = 0;
  remove(path);
}

/* Running statistics of a normalised batch are among the updates, and frozen
 * parameters are not. */
static void states_are_updated_and_frozen_parameters_are_not(void **state) {
  const float x_data[4] = {1, 3, 5, 7};
  float mean, first[2], last[2];
  const gg_optimiser how = gg_sgd(0.1);
  gg_params *p = gg_params_new(g, GA_FLOAT, 1);
  gg_var *x = gg_input_sized(g, "x", GA_FLOAT, 2, (int64_t[]){-1, 1});

  (void)state;
  gg_var *y = gg_nn_dense(p, "d", gg_nn_batch_norm(p, "n", x), 2, 0);
  assert_ok(gg_params_freeze(gg_params_group(p, "d"), 1));
  gg_func *f = func_make(
      g, &(gg_func_spec){.inputs = GG_VARS(x),
                         .updates = gg_optimise(p, gg_sum(gg_sqr(y)), &how)});
  test_array(&a, GA_FLOAT, 2, (size_t[]){4, 1}, x_data);
  gg_var *w = gg_params_find(p, "d.weight"),
         *scale = gg_params_find(p, "n.weight");
  assert_ok(gg_shared_read(w, first, sizeof first));
  func_run(f, (GpuArray *[]){&a}, NULL);
  assert_ok(gg_shared_read(w, last, sizeof last));
  assert_memory_equal(first, last, sizeof last);
  assert_ok(gg_shared_read(scale, last, sizeof *last));
  assert_true(last[0] != 1);
  assert_ok(gg_shared_read(gg_params_find(p, "n.running_mean"), &mean, 4));
  assert_true(fabsf(mean - 0.4f) < 1e-6f);
  gg_func_free(f);
  gg_params_free(p);
}

/* --- what is refused --- */

static void bad_optimisers_are_refused(void **state) {
  gg_params *p = gg_params_new(g, GA_FLOAT, 1),
            *taken = gg_params_new(g, GA_FLOAT, 1);
  gg_optimiser o = gg_sgd(0.1);
  const size_t n = 3;

  (void)state;
  gg_var *cost = gg_f32(g, 1);
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "no parameters to train");
  gg_var *w = gg_param(p, "w", 1, &n, gg_init_constant(0));
  cost = gg_sum(gg_sqr(w));
  assert_null(gg_optimise(p, NULL, &o));
  graph_says(GA_VALUE_ERROR, "the cost is NULL");
  assert_null(gg_optimise(p, cost, NULL));
  graph_says(GA_VALUE_ERROR, "the optimiser is NULL");
  assert_null(gg_optimise(NULL, cost, &o));
  o.nesterov = 1;
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "nesterov needs");
  o = gg_adam(0.1);
  o.beta1 = 1;
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "the beta1 is 1");
  o = gg_adam(NAN);
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "the rate is nan");
  o = gg_adam(1);
  o.schedule = w;
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "no scalar");
  o.kind = (gg_optimiser_kind)17;
  o.schedule = NULL;
  assert_null(gg_optimise(p, cost, &o));
  graph_says(GA_VALUE_ERROR, "optimiser 17");
  assert_code(GA_VALUE_ERROR, gg_params_rate(p, -1));
  graph_says(GA_VALUE_ERROR, "-1");
  assert_code(GA_VALUE_ERROR, gg_params_decay(p, NAN));
  graph_says(GA_VALUE_ERROR, "nan");
  gg_var *u =
      gg_param(taken, "optimiser.w.exp_avg", 1, &n, gg_init_constant(0));
  w = gg_param(taken, "w", 1, &n, gg_init_constant(0));
  o = gg_adam(1);
  assert_null(gg_optimise(taken, gg_sum(gg_mul(u, w)), &o));
  graph_says(GA_VALUE_ERROR, "taken");
  gg_func *f = func_make(g, &(gg_func_spec){.outputs = GG_VARS(w)}), *copy;
  assert_code(GA_VALUE_ERROR, gg_params_averaged(&copy, p, f));
  assert_null(copy);
  gg_func_free(f);
  gg_params_free(p);
  gg_params_free(taken);
}

static void bad_schedules_are_refused(void **state) {
  gg_var *t = gg_f64(g, 0), *v = gg_input(g, "v", GA_FLOAT, 1);

  (void)state;
  assert_null(gg_rate_constant(v, 1));
  graph_says(GA_VALUE_ERROR, "expected a real scalar");
  assert_null(gg_rate_constant(t, NAN));
  graph_says(GA_VALUE_ERROR, "the rate is nan");
  assert_null(gg_rate_step(t, 1, 0, 0.5));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_exponential(t, 1, 0));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_cosine(t, 1, 0, 0));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_one_cycle(t, 1, 10, 0.1));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_one_cycle(t, 1, 10, 1));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_warm_up(t, t, 10, -1));
  graph_says(GA_VALUE_ERROR, "out of its range");
  assert_null(gg_rate_warm_up(NULL, t, 10, 0));
  assert_null(gg_rate_constant(NULL, 1));
  assert_int_equal(gg_var_type(gg_rate_cosine(gg_i64(g, 3), 1, 9, 0))->dtype,
                   GA_FLOAT);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(defaults_are_those_of_formulas),
      TEST(variants_are_those_of_formulas),
      TEST(schedules_are_those_of_formulas),
      TEST(training_goes_on_with_the_same_bits),
      TEST(states_are_updated_and_frozen_parameters_are_not),
      TEST(bad_optimisers_are_refused),
      TEST(bad_schedules_are_refused)};

  return cmocka_run_group_tests(tests, NULL, test_context_drop);
}
