/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph inspect: print what a model declares, whether it can be built, and
 * how much arithmetic it takes. Needs no device. */
#include <gpugraph/walk.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"
#include "cli/arithmetic.h"
#include "cli/cli.h"
#include "cli/cli_json.h"
#include "cli/known_values.h"
#include "cli/load_model.h"
#include "cli/status_line.h"

typedef struct work {
  cli_model m;
  const char *path, *function;
  cli_known known;
  int json;
  size_t weights;
  double weight_bytes;
  cli_costs costs;
} work;

/* --- what a model declares --- */

static void print_value(const char *kind, const gg_onnx_info *v) {
  printf("  %s \"%s\": %s", kind, v->name,
         v->type_name[0] == 0 ? "no tensor" : v->type_name);
  if (!v->has_shape) {
    printf(v->type_name[0] == 0 ? "\n" : ", sizes unknown\n");
    return;
  }
  printf("[");
  for (unsigned int i = 0; i < v->nd; i++) {
    printf("%s", i == 0 ? "" : ", ");
    if (v->dims[i] != GG_ANY)
      printf("%" PRId64, v->dims[i]);
    else
      printf("%s", v->size_names[i] == NULL ? "?" : v->size_names[i]);
  }
  printf("]\n");
}

static void print_onnx(const gg_onnx *m, const char *path) {
  const gg_onnx_summary s = gg_onnx_describe(m);
  const gg_onnx_info *v;
  char bytes[32];

  printf("%s: version %" PRId64 " of the format, opset %" PRId64 "%s%s\n", path,
         s.ir_version, s.opset, s.producer[0] == 0 ? "" : ", made by ",
         s.producer);
  printf("  %zu nodes, %zu tensors (%s), %zu functions\n", s.nodes, s.tensors,
         cli_size(bytes, s.tensor_bytes), s.functions);
  for (size_t i = 0; (v = gg_onnx_input(m, i)) != NULL; i++)
    print_value("input", v);
  for (size_t i = 0; (v = gg_onnx_output(m, i)) != NULL; i++)
    print_value("output", v);
}

/* An input or output of a function as that of a model. */
static gg_onnx_info info_of(const gg_var *v) {
  const gg_type *t = gg_var_type(v);
  gg_onnx_info out = {.name = gg_var_name(v),
                      .type_name = ga__dtype_name(t->dtype),
                      .dtype = t->dtype,
                      .has_shape = 1,
                      .nd = t->nd};

  for (unsigned int i = 0; i < t->nd; i++) {
    const char *name = gg_var_size_name(v, i);

    out.dims[i] = t->dims[i];
    out.size_names[i] = name[0] != '\0' ? name : NULL;
  }
  return out;
}

static void print_list(const char *kind, gg_var *const *list) {
  for (; list != NULL && *list != NULL; list++) {
    const gg_onnx_info v = info_of(*list);

    print_value(kind, &v);
  }
}

static void print_function(const gg_func_spec *f, const char *path) {
  printf("%s: function %s\n", path, f->name);
  print_list("input", f->inputs);
  print_list("output", f->outputs);
}

static int has_names(const gg_func_spec *f) {
  for (gg_var *const *in = f->inputs; in != NULL && *in != NULL; in++)
    for (unsigned int i = 0; i < gg_var_type(*in)->nd; i++)
      if (gg_var_size_name(*in, i)[0] != '\0')
        return 1;
  return 0;
}

/* --- arithmetic --- */

/* Write such as "3.6 G". */
static const char *count_text(char out[16], double n) {
  static const char *const units[] = {"", " k", " M", " G", " T", " P"};
  size_t i = 0;

  for (; n >= 999.5 && i < 5; i++)
    n /= 1000;
  snprintf(out, 16, "%.3g%s", n, units[i]);
  return out;
}

static void print_row(const cli_cost *c) {
  char flops[16], bytes[16];

  printf("    %-18s %6zu %8s %10s\n", c->op, c->nodes,
         c->uncounted == c->nodes && c->nodes > 0 ? "-"
                                                  : count_text(flops, c->flops),
         cli_size(bytes, (unsigned long long)c->bytes));
}

static void print_costs(const work *w) {
  const cli_cost sum = cli_costs_sum(&w->costs);
  char size[16];

  printf("  weights: %zu tensors, %s\n", w->weights,
         cli_size(size, (unsigned long long)w->weight_bytes));
  printf("  arithmetic of a call, and bytes that ops read and write:\n"
         "    op                  nodes     FLOP      bytes\n");
  for (size_t i = 0; i < w->costs.n; i++)
    print_row(&w->costs.v[i]);
  print_row(&sum);
  if (sum.open > 0)
    printf("  %zu nodes are not counted: their sizes are open%s\n", sum.open,
           has_names(&w->m.spec) ? " (--size NAME=N)" : "");
  if (sum.uncounted > 0)
    printf("  arithmetic of %zu nodes (-) is not counted\n", sum.uncounted);
}

static void write_cost(cli_json *j, const char *name, const cli_cost *c) {
  cli_json_open(j, name, '{');
  if (name == NULL)
    cli_json_text(j, "op", c->op);
  cli_json_count(j, "nodes", c->nodes);
  cli_json_count(j, "open_nodes", c->open);
  cli_json_count(j, "uncounted_nodes", c->uncounted);
  cli_json_real(j, "flop", c->flops);
  cli_json_real(j, "bytes", c->bytes);
  cli_json_close(j, '}');
}

static void write_costs(cli_json *j, const work *w) {
  const cli_cost sum = cli_costs_sum(&w->costs);

  cli_json_count(j, "weights", w->weights);
  cli_json_real(j, "weight_bytes", w->weight_bytes);
  cli_json_open(j, "ops", '[');
  for (size_t i = 0; i < w->costs.n; i++)
    write_cost(j, NULL, &w->costs.v[i]);
  cli_json_close(j, ']');
  write_cost(j, "in_all", &sum);
}

static int is_input(const work *w, const gg_var *v) {
  gg_var *const *in = w->m.spec.inputs;

  while (in != NULL && *in != NULL && *in != v)
    in++;
  return in != NULL && *in != NULL;
}

static int add_weights(work *w, gg_var *const *results) {
  gg_var **leaves;
  size_t n;

  GA_TRY(gg_leaves(&leaves, &n, results, NULL, GG_LEAF_SHARED | GG_LEAF_INPUT));
  for (size_t i = 0; i < n; i++) {
    const double bytes = cli_var_bytes(leaves[i]);

    if (is_input(w, leaves[i]))
      continue;
    w->weights++;
    w->weight_bytes += bytes < 0 ? 0 : bytes;
  }
  gg_list_free(leaves);
  return GA_NO_ERROR;
}

static int count(work *w) {
  gg_var **results = cli_results(&w->m.spec);

  if (results == NULL)
    return ga__fail_nomem();
  int err = results[0] == NULL ? GA_NO_ERROR : add_weights(w, results);
  if (err == GA_NO_ERROR)
    err = cli_costs_of(&w->costs, results);
  ga__free(results);
  return err;
}

/* --- JSON --- */

static void write_value(cli_json *j, const gg_onnx_info *v) {
  cli_json_open(j, NULL, '{');
  cli_json_text(j, "name", v->name);
  cli_json_text(j, "type", v->type_name);
  if (v->has_shape)
    cli_json_open(j, "sizes", '[');
  for (unsigned int i = 0; v->has_shape && i < v->nd; i++) {
    if (v->dims[i] != GG_ANY)
      cli_json_count(j, NULL, (uint64_t)v->dims[i]);
    else
      cli_json_text(j, NULL, v->size_names[i] == NULL ? "?" : v->size_names[i]);
  }
  if (v->has_shape)
    cli_json_close(j, ']');
  cli_json_close(j, '}');
}

static void write_values(cli_json *j, const char *name, const gg_onnx *m,
                         const gg_onnx_info *(*at)(const gg_onnx *, size_t)) {
  const gg_onnx_info *v;

  cli_json_open(j, name, '[');
  for (size_t i = 0; (v = at(m, i)) != NULL; i++)
    write_value(j, v);
  cli_json_close(j, ']');
}

static void write_onnx(cli_json *j, const gg_onnx *m) {
  const gg_onnx_summary s = gg_onnx_describe(m);

  cli_json_count(j, "format", (uint64_t)s.ir_version);
  cli_json_count(j, "opset", (uint64_t)s.opset);
  cli_json_text(j, "producer", s.producer);
  cli_json_count(j, "nodes", s.nodes);
  cli_json_count(j, "tensors", s.tensors);
  cli_json_count(j, "tensor_bytes", s.tensor_bytes);
  cli_json_count(j, "functions", s.functions);
  write_values(j, "inputs", m, gg_onnx_input);
  write_values(j, "outputs", m, gg_onnx_output);
}

static void write_list(cli_json *j, const char *name, gg_var *const *list) {
  cli_json_open(j, name, '[');
  for (; list != NULL && *list != NULL; list++) {
    const gg_onnx_info v = info_of(*list);

    write_value(j, &v);
  }
  cli_json_close(j, ']');
}

static void write_function(cli_json *j, const gg_func_spec *f) {
  cli_json_text(j, "function", f->name);
  write_list(j, "inputs", f->inputs);
  write_list(j, "outputs", f->outputs);
}

static void write_model(const work *w, int err) {
  cli_json j = {stdout, 0, 0};

  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "model", w->path);
  if (w->m.onnx != NULL)
    write_onnx(&j, w->m.onnx);
  else
    write_function(&j, &w->m.spec);
  cli_json_flag(&j, "supported", err == GA_NO_ERROR);
  if (err == GA_NO_ERROR)
    write_costs(&j, w);
  else
    cli_json_text(&j, "problems", ga__err_text(err));
  cli_json_close(&j, '}');
}

/* --- the command --- */

static int read_arguments(work *w, const cli_command *c, int argc,
                          char **argv) {
  cli_args a = {c, argc, argv, NULL, NULL, 0};

  for (;;) {
    GA_TRY(cli_next(&a));
    if (cli_is_known(&a))
      GA_TRY(cli_known_read(&w->known, &a));
    else if (cli_is(&a, "--function"))
      w->function = a.value;
    else if (cli_is(&a, "--json"))
      w->json = 1;
    else if (a.value != NULL)
      GA_TRY(cli_take(&a, &w->path));
    else
      break;
  }
  return w->path != NULL ? GA_NO_ERROR
                         : ga__fail(GA_VALUE_ERROR, "inspect takes a model");
}

static int inspect(work *w) {
  const int is_graph = cli_is_graph(w->path);
  gg_onnx_options o;

  cli_progress("loading the model");
  GA_TRY(cli_known_options(&w->known, w->path, is_graph, &o));
  int err = cli_model_load(&w->m, NULL, w->path, is_graph, w->function, &o);

  cli_progress(NULL);
  if (err != GA_NO_ERROR && w->m.onnx == NULL)
    return err;
  if (!w->json && w->m.onnx != NULL)
    print_onnx(w->m.onnx, w->path);
  else if (!w->json)
    print_function(&w->m.spec, w->path);
  if (err == GA_NO_ERROR)
    err = count(w);
  if (w->json)
    write_model(w, err);
  else if (err == GA_NO_ERROR)
    printf("  all nodes are supported\n");
  if (!w->json && err == GA_NO_ERROR)
    print_costs(w);
  return err;
}

int cli_inspect(const cli_command *c, int argc, char **argv) {
  work w = {.json = 0};
  int status, err = read_arguments(&w, c, argc, argv);

  if (err != GA_NO_ERROR)
    status = cli_wrong(c, err);
  else
    status = (err = inspect(&w)) == GA_NO_ERROR ? 0 : cli_fail(err);
  cli_model_clear(&w.m);
  ga__vec_clear(&w.costs);
  cli_known_clear(&w.known);
  return status;
}
