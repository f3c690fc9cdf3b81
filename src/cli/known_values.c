/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/known_values.h"

#include <string.h>

#include "base/err.h"

static int twice(const char *option, const char *name) {
  return ga__fail(GA_VALUE_ERROR, "%s %s= is given twice", option, name);
}

const cli_given *cli_find_given(const cli_givens *list, const char *name) {
  for (size_t i = 0; i < list->n; i++)
    if (strcmp(list->v[i].name, name) == 0)
      return &list->v[i];
  return NULL;
}

int cli_add_given(cli_givens *list, const char *option, char *text) {
  cli_given g;
  char *path;

  GA_TRY(cli_split(text, &g.name, &path));
  g.path = path;
  if (cli_find_given(list, g.name) != NULL)
    return twice(option, g.name);
  return ga__vec_push(list, g);
}

static int add_size(cli_known *k, char *text) {
  gg_named_size s;
  uint64_t size;
  char *value;

  GA_TRY(cli_split(text, &s.name, &value));
  GA_TRY(cli_number(value, &size));
  s.size = (int64_t)size;
  for (size_t i = 0; i < k->sizes.n; i++)
    if (strcmp(k->sizes.v[i].name, s.name) == 0)
      return twice("--size", s.name);
  return ga__vec_push(&k->sizes, s);
}

int cli_is_known(const cli_args *a) {
  return cli_is(a, "--size") || cli_is(a, "--fix");
}

int cli_known_read(cli_known *k, const cli_args *a) {
  return cli_is(a, "--size") ? add_size(k, a->value)
                             : cli_add_given(&k->fixed, "--fix", a->value);
}

static int add_file(cli_known *k, const cli_given *g) {
  gg_data *file;

  GA_TRY(gg_data_npy(&file, g->path));
  const int err = ga__vec_push(&k->files, file);
  if (err != GA_NO_ERROR) {
    gg_data_free(file);
    return err;
  }
  return ga__vec_push(&k->by_name,
                      ((gg_onnx_fixed){g->name, gg_data_array(file)}));
}

int cli_known_options(cli_known *k, const char *model, int is_graph,
                      gg_onnx_options *o) {
  if (is_graph && k->fixed.n > 0)
    return ga__fail(GA_VALUE_ERROR,
                    "--fix is for ONNX models, and %s is a graph", model);
  for (size_t i = 0; i < k->fixed.n; i++)
    GA_TRY(add_file(k, &k->fixed.v[i]));
  GA_TRY(ga__vec_push(&k->by_name, ((gg_onnx_fixed){NULL, NULL})));
  GA_TRY(ga__vec_push(&k->sizes, ((gg_named_size){NULL, 0})));
  *o = (gg_onnx_options){.sizes = k->sizes.v, .fixed = k->by_name.v};
  return GA_NO_ERROR;
}

void cli_known_clear(cli_known *k) {
  for (size_t i = 0; i < k->files.n; i++)
    gg_data_free(k->files.v[i]);
  ga__vec_clear(&k->files);
  ga__vec_clear(&k->by_name);
  ga__vec_clear(&k->fixed);
  ga__vec_clear(&k->sizes);
}
