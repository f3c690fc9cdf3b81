/* SPDX-License-Identifier: BSD-2-Clause */
/* gpugraph run: call a model once, and save its results. */
#include <errno.h>
#include <gpuarray/create.h>
#include <gpuarray/npy.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dtype.h"
#include "base/err.h"
#include "base/map.h"
#include "base/strb.h"
#include "cli/call_model.h"
#include "cli/cli.h"
#include "cli/cli_json.h"
#include "cli/status_line.h"

/* --- results --- */

/* Append the path of the file for an output. */
static int append_path(const cli_job *j, const char *name, ga__strb *path) {
  ga__strb_appendf(path, "%s/", j->output);
  const size_t at = path->n;
  ga__strb_appendf(path, "%s.npy", name);
  for (size_t k = at; path->err == GA_NO_ERROR && k < path->n; k++)
    if (path->s[k] == '/')
      path->s[k] = '_';
  return path->err;
}

/* Put the path for output i into a map. GA_VALUE_ERROR if the map has it. */
static int add_path(const cli_job *j, size_t i, ga__map *paths) {
  const char *name = cli_job_output_name(j, i);
  ga__strb path = GA_STRB_INIT;
  int err = append_path(j, name, &path);
  const char *other =
      err == GA_NO_ERROR ? ga__map_get(paths, path.s, path.n) : NULL;

  if (other != NULL)
    err = ga__fail(GA_VALUE_ERROR, "outputs \"%s\" and \"%s\" need one file %s",
                   other, name, path.s);
  if (err == GA_NO_ERROR)
    err = ga__map_put(paths, path.s, path.n, (void *)(uintptr_t)name);
  ga__strb_clear(&path);
  return err;
}

/* Check that each output has a file of its own. */
static int check_paths(const cli_job *j) {
  ga__map paths = GA_MAP_INIT;
  int err = GA_NO_ERROR;

  for (size_t i = 0; j->output != NULL && err == GA_NO_ERROR && i < j->n_out;
       i++)
    err = add_path(j, i, &paths);
  ga__map_clear(&paths);
  return err;
}

static void print_result(const GpuArray *a, const char *name) {
  printf("%s: %s[", name, ga__dtype_name(a->typecode));
  for (unsigned int i = 0; i < a->nd; i++)
    printf("%s%zu", i == 0 ? "" : ", ", a->dimensions[i]);
  printf("]\n");
}

static void write_result(cli_json *o, const GpuArray *a, const char *name,
                         const char *path) {
  cli_json_open(o, NULL, '{');
  cli_json_text(o, "name", name);
  cli_json_text(o, "dtype", ga__dtype_name(a->typecode));
  cli_json_open(o, "shape", '[');
  for (unsigned int i = 0; i < a->nd; i++)
    cli_json_count(o, NULL, a->dimensions[i]);
  cli_json_close(o, ']');
  if (path != NULL)
    cli_json_text(o, "file", path);
  cli_json_close(o, '}');
}

/* Save an array. NumPy has no bfloat16, so its elements become float32. */
static int save(const GpuArray *a, const char *path) {
  GpuArray wide = {0};
  int err;

  if (a->typecode != GA_BFLOAT)
    return GpuArray_save_npy(a, path);
  GA_CHECK(GpuArray_cast(&wide, a, GA_FLOAT, GA_C_ORDER));
  err = GpuArray_save_npy(&wide, path);
done:
  GpuArray_clear(&wide);
  return err;
}

/* Save output i if files are wanted, and tell of it; in JSON if `o`. */
static int use_result(const cli_job *j, size_t i, cli_json *o) {
  const char *name = cli_job_output_name(j, i);
  ga__strb path = GA_STRB_INIT;
  int err = GA_NO_ERROR;

  if (j->output != NULL) {
    GA_CHECK(append_path(j, name, &path));
    GA_CHECK(save(&j->out[i], path.s));
  }
  if (o != NULL)
    write_result(o, &j->out[i], name, path.s);
  else
    print_result(&j->out[i], name);
done:
  ga__strb_clear(&path);
  return err;
}

static int use_results(const cli_job *j) {
  cli_json o = {stdout, 0, 0};

  if (j->output != NULL && mkdir(j->output, 0777) != 0 && errno != EEXIST)
    return ga__fail(GA_SYS_ERROR, "cannot make %s: %s", j->output,
                    strerror(errno));
  if (j->n_out != 0)
    GA_TRY(GpuArray_sync(&j->out[0]));
  cli_progress(NULL);
  if (j->json) {
    cli_json_open(&o, NULL, '{');
    cli_json_text(&o, "model", j->model);
    cli_json_count(&o, "drawn_inputs", (uint64_t)j->n_drawn);
    cli_json_count(&o, "seed", j->seed);
    cli_json_open(&o, "outputs", '[');
  }
  for (size_t i = 0; i < j->n_out; i++)
    GA_TRY(use_result(j, i, j->json ? &o : NULL));
  if (j->json) {
    cli_json_close(&o, ']');
    cli_json_close(&o, '}');
  }
  return GA_NO_ERROR;
}

static int run(cli_job *j, int argc, char **argv) {
  GA_TRY(cli_job_read(j, argc, argv));
  GA_TRY(cli_job_load(j, 0));
  GA_TRY(check_paths(j));
  GA_TRY(cli_job_inputs(j));
  cli_progress("calling the model");
  GA_TRY(cli_job_call(j));
  return use_results(j);
}

int cli_run(const cli_command *c, int argc, char **argv) {
  cli_job j = {.command = c};
  const int err = run(&j, argc, argv);
  const int status = cli_job_status(&j, err);

  cli_job_clear(&j);
  return status;
}
