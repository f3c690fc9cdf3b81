/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in a graph of its own. */
#include <gpugraph/params.h>

#include "nn/nn.h"

static size_t count(gg_var *const *list) {
  size_t n = 0;

  while (list != NULL && list[n] != NULL)
    n++;
  return n;
}

static int check(const gg_func_spec *spec, const char *path) {
  if (spec == NULL || path == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s is NULL",
                    spec == NULL ? "function" : "path");
  if (spec->name == NULL || count(spec->outputs) == 0)
    return ga__fail(GA_VALUE_ERROR, "a function to save needs %s",
                    spec->name == NULL ? "a name" : "outputs");
  if ((spec->updates != NULL && spec->updates[0].shared != NULL) ||
      (spec->givens != NULL && spec->givens[0].var != NULL))
    return ga__fail(GA_VALUE_ERROR,
                    "%s has updates or givens, which are not "
                    "saved",
                    spec->name);
  return GA_NO_ERROR;
}

/* `all` has room for the inputs and the outputs; `in` and `out` for these lists
 * with their ends. */
static int save(gg_graph *to, const gg_func_spec *spec, gg_var **all,
                gg_var **in, gg_var **out, const char *path) {
  const size_t n_in = count(spec->inputs), n_out = count(spec->outputs);

  for (size_t i = 0; i < n_in + n_out; i++)
    all[i] = i < n_in ? spec->inputs[i] : spec->outputs[i - n_in];
  GA_TRY(gg_replace_in(to, all, (unsigned int)(n_in + n_out), all, NULL));
  for (size_t i = 0; i < n_in; i++)
    in[i] = all[i];
  for (size_t i = 0; i < n_out; i++)
    out[i] = all[n_in + i];
  GA_TRY(gg_graph_add_func(to, &(gg_func_spec){.name = spec->name,
                                               .inputs = in,
                                               .outputs = out,
                                               .mode = spec->mode,
                                               .flags = spec->flags}));
  return gg_graph_save(to, path);
}

int gg_nn_save(const gg_func_spec *spec, const char *path) {
  GA_TRY(check(spec, path));
  const size_t n_in = count(spec->inputs), n_out = count(spec->outputs);
  gg_var **all = ga__calloc(2 * (n_in + n_out + 1), sizeof(gg_var *));
  gg_graph *to = gg_graph_new(gg_graph_context(gg_var_graph(spec->outputs[0])));
  const int err = all != NULL && to != NULL
                      ? save(to, spec, all, all + n_in + n_out,
                             all + 2 * n_in + n_out + 1, path)
                      : ga__fail_nomem();
  gg_graph_free(to);
  ga__free(all);
  return err;
}
