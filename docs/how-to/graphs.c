/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of docs/how-to.md about graphs. */
#include <gpuarray/create.h>
#include <gpugraph/gpugraph.h>
#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed. */
static void check(int err) {
  if (err == GA_NO_ERROR)
    return;
  fprintf(stderr, "%s\n", gpuarray_error_text(err));
  exit(1);
}

/* Print a variable of five elements at most, for this value of x. */
static void show(const char *what, gg_var *v, gg_var *x, GpuArray *value) {
  GpuArray out = {0}, floats;
  float host[5];
  size_t n = 1;
  check(gg_eval(v, GG_VALUES({x, value}), &out));
  for (unsigned int i = 0; i < out.nd; i++)
    n *= out.dimensions[i];
  check(GpuArray_cast(&floats, &out, GA_FLOAT, GA_C_ORDER));
  check(GpuArray_read(host, n * sizeof(float), &floats));
  printf("%s:", what);
  for (size_t i = 0; i < n; i++)
    printf(" %g", (double)host[i]);
  printf("\n");
  GpuArray_clear(&floats);
  GpuArray_clear(&out);
}

static void evaluate(gg_var *x, GpuArray *five) {
  gg_var *total = gg_sum(gg_sqr(x));
  GpuArray out = {0};
  float host;
  check(gg_eval(total, GG_VALUES({x, five}), &out));
  check(GpuArray_read(&host, sizeof host, &out));
  printf("the sum of squares is %g\n", (double)host);
  GpuArray_clear(&out);
}

static void differentiate(gg_var *x, GpuArray *five) {
  gg_var *slope;
  check(gg_grad(&slope, gg_sum(gg_sqr(x)), 1, &x));
  show("the gradient of the sum of squares", slope, x, five);
}

static void find_largest(gg_var *x, GpuArray *five) {
  gg_graph *g = gg_var_graph(x);
  gg_var *where;
  gg_var *two = gg_topk(x, gg_i64(g, 2), 0, 0, &where);
  show("the two largest", two, x, five);
  show("are at", where, x, five);
}

static void select_some(gg_var *x, GpuArray *five) {
  gg_graph *g = gg_var_graph(x);
  gg_var *positive = gg_compress(x, gg_gt(x, gg_f32(g, 0)));
  show("above 0", positive, x, five);
}

static void prepare(gg_var *x) {
  gg_func *f;
  check(gg_func_new(&f, gg_var_graph(x),
                    &(gg_func_spec){.inputs = GG_VARS(x),
                                    .outputs = GG_VARS(gg_sqr(x)),
                                    .flags = GG_NO_HOST}));
  check(gg_func_prepare(f, (gg_dims[]){{.nd = 1, .dim = {5}}}));
  gg_func_stats stats;
  check(gg_func_stat(f, &stats));
  printf("%zu plan, %zu steps on the host\n", stats.plans, stats.host_steps);
  gg_func_free(f);
}

static void change_row(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  float zeros[3][2] = {{0}};
  gg_var *table =
      gg_shared_host(g, "table", GA_FLOAT, 2, (size_t[]){3, 2}, zeros[0]);
  gg_var *row = gg_slice_set(table, 0, 1, 2, 1, gg_f32(g, 7));
  gg_func *f;
  check(
      gg_func_new(&f, g, &(gg_func_spec){.updates = GG_UPDATES({table, row})}));
  check(gg_func_call(f, NULL, NULL));
  float now[3][2];
  check(gg_shared_read(table, now, sizeof now));
  printf("rows: %g %g %g\n", (double)now[0][0], (double)now[1][0],
         (double)now[2][0]);
  gg_func_free(f);
  gg_graph_free(g);
}

static void set_rate(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_var *rate = gg_shared_host(g, "rate", GA_FLOAT, 0, NULL, &(float){0.1F});
  gg_var *w = gg_shared_host(g, "w", GA_FLOAT, 0, NULL, &(float){1});
  gg_func *step;
  check(gg_func_new(
      &step, g, &(gg_func_spec){.updates = GG_UPDATES({w, gg_sub(w, rate)})}));
  check(gg_func_call(step, NULL, NULL));
  check(gg_shared_write(rate, &(float){0.5F}, sizeof(float)));
  check(gg_func_call(step, NULL, NULL));
  float now;
  check(gg_shared_read(w, &now, sizeof now));
  printf("w = %.1f\n", (double)now);
  gg_func_free(step);
  gg_graph_free(g);
}

static void draw(gpucontext *ctx) {
  gg_graph *g = gg_graph_new(ctx);
  gg_random *r = gg_random_new(g, GG_PHILOX, 42);
  gg_var *u =
      gg_random_uniform(r, GG_DRAW(GA_FLOAT, 2), gg_f32(g, 0), gg_f32(g, 1));
  gg_func *f;
  check(gg_func_new(&f, g, &(gg_func_spec){.outputs = GG_VARS(u)}));
  float first[2], again[2];
  gg_host_array out = {.data = first, .bytes = sizeof first};
  check(gg_func_call_host(f, NULL, (gg_host_array *[]){&out}));
  check(gg_random_seed(r, 42)); /* back to the start */
  out.data = again;
  check(gg_func_call_host(f, NULL, (gg_host_array *[]){&out}));
  printf("the same numbers: %s\n", first[0] == again[0] ? "yes" : "no");
  gg_func_free(f);
  gg_random_free(r);
  gg_graph_free(g);
}

static void name_arguments(gg_var *x, GpuArray *five) {
  gg_func *f;
  gg_var *y = gg_named(gg_sum(x), "y");
  check(gg_func_new(
      &f, gg_var_graph(x),
      &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(y)}));
  GpuArray out = {0};
  check(gg_func_call_named(f, GG_ARGS({"x", five}), GG_ARGS({"y", &out})));
  float sum;
  check(GpuArray_read(&sum, sizeof sum, &out));
  printf("y = %g\n", (double)sum);
  GpuArray_clear(&out);
  gg_func_free(f);
}

int main(void) {
  gpucontext *ctx;
  check(gpucontext_open(&ctx, NULL));
  gg_graph *g = gg_graph_new(ctx);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  GpuArray five;
  check(GpuArray_arange(&five, ctx, GA_FLOAT, -2, 3, 1));
  evaluate(x, &five);
  differentiate(x, &five);
  find_largest(x, &five);
  select_some(x, &five);
  prepare(x);
  change_row(ctx);
  set_rate(ctx);
  draw(ctx);
  name_arguments(x, &five);
  GpuArray_clear(&five);
  gg_graph_free(g);
  gpucontext_deref(ctx);
  return 0;
}
