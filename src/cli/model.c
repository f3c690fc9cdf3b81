/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph graph: inspect saved graphs and texts, without a device. */
#include "cli/cli.h"

#include <errno.h>
#include <gpugraph/report.h>
#include <gpugraph/save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/status_line.h"

/* Flush stdout, which may fail as well, and return the exit status. */
static int end(int err) {
  if (err == GA_NO_ERROR && fflush(stdout) != 0)
    err = ga__fail(GA_SYS_ERROR, "cannot write: %s", strerror(errno));
  return err == GA_NO_ERROR ? 0 : cli_fail(err);
}

static size_t count_functions(const gg_graph *g) {
  size_t n = 0;

  while (gg_graph_func_at(g, n) != NULL)
    n++;
  return n;
}

static int check(gg_graph *g, const char *path) {
  printf("%s: %zu variables, %zu functions\n", path, gg_graph_size(g),
         count_functions(g));
  return end(GA_NO_ERROR);
}

static int print(gg_graph *g, const char *path) {
  (void)path;
  return end(gg_graph_print(g, stdout, 0));
}

static size_t count_drawn(const gg_func_spec *f) {
  size_t n = 0, k = 0;

  while (f->outputs[n] != NULL)
    n++;
  while (f->updates[k].shared != NULL)
    k++;
  return n + k;
}

/* Draw the outputs and updates of all functions as one picture. */
static int draw(gg_graph *g, const char *path) {
  const gg_func_spec *f;
  size_t n = 0, most = 0;
  gg_var **vars;

  (void)path;
  for (size_t i = 0; (f = gg_graph_func_at(g, i)) != NULL; i++)
    most += count_drawn(f);
  vars = calloc(most + 1, sizeof *vars);
  if (vars == NULL)
    return cli_fail(GA_MEMORY_ERROR);
  for (size_t i = 0; (f = gg_graph_func_at(g, i)) != NULL; i++) {
    for (size_t k = 0; f->outputs[k] != NULL; k++)
      vars[n++] = f->outputs[k];
    for (size_t k = 0; f->updates[k].shared != NULL; k++)
      vars[n++] = f->updates[k].value;
  }
  int err = gg_dot_graph(stdout, (unsigned int)n, vars);
  free(vars);
  return end(err);
}

static const struct {
  const char *name;
  int (*run)(gg_graph *g, const char *path);
} actions[] = {{"print", print}, {"check", check}, {"dot", draw}};

static int run(const char *path, const char *action) {
  gg_graph *g = gg_graph_new(NULL);
  size_t i = 0;

  if (g == NULL)
    return cli_fail(GA_MEMORY_ERROR);
  while (strcmp(actions[i].name, action) != 0)
    i++;
  cli_progress("reading the graph");
  const int err = gg_graph_load(g, path);
  cli_progress(NULL);
  const int status = err == GA_NO_ERROR ? actions[i].run(g, path)
                                        : cli_fail(gg_graph_status(g));
  gg_graph_free(g);
  return status;
}

int cli_graph(const cli_command *c, int argc, char **argv) {
  static const char *const names[] = {"print", "check", "dot", NULL};
  cli_args a = {c, argc, argv, NULL, NULL, 0};
  const char *path = NULL, *action = NULL;

  do {
    if (cli_next(&a) != GA_NO_ERROR)
      return cli_wrong(c, GA_VALUE_ERROR);
    if (a.value != NULL && path != NULL && action != NULL)
      return cli_usage(c, "graph takes a file, and print, check or dot");
    if (a.value != NULL)
      *(path == NULL ? &path : &action) = a.value;
  } while (a.value != NULL);
  if (path == NULL)
    return cli_usage(c, "graph takes a file, and print, check or dot");
  if (action != NULL && cli_check_word("graph", action, names) != GA_NO_ERROR)
    return cli_wrong(c, GA_VALUE_ERROR);
  return run(path, action == NULL ? "print" : action);
}
