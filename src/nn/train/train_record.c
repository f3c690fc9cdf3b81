/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of a training. The table grows by a line for each epoch; the other
 * two files are replaced in one step, at most once a second. */
#include "nn/train/train_record.h"

#include <gpuarray/profile.h>
#include <gpuarray/timeline.h>
#include <gpugraph/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strb.h"
#include "nn/train/report_folder.h"

enum { MEASURED = 32 }; /* calls of the step whose kernels are timed */

#define EVERY_NS 1000000000u /* the page is written once a second at most */

/* --- columns --- */

static const char *const charts[] = {"Loss",
                                     "Metrics",
                                     "Seconds",
                                     "Rows in a second",
                                     "Waiting for data (%)",
                                     "Memory (MB)"};

static const char *chart_of(const gg__record *r, size_t column) {
  static const char *const names[] = {"seconds", "rows_per_second", "waiting",
                                      "memory"};

  if (strcmp(r->names[column], "loss") == 0 ||
      strcmp(r->names[column], "validation") == 0)
    return charts[0];
  for (size_t i = 0; i < 4; i++)
    if (column + 4 >= r->columns && strcmp(r->names[column], names[i]) == 0)
      return charts[2 + i];
  /* Rates of learning have another scale. */
  return strcmp(r->names[column], "rate") == 0 ? "Learning rate" : charts[1];
}

static int make_columns(gg__record *r) {
  const gg_training *t = r->t;

  r->names = ga__calloc(t->metrics + GG_RECORD_FIXED, sizeof *r->names);
  r->metrics = ga__calloc(t->metrics, sizeof *r->metrics);
  if (r->names == NULL || r->metrics == NULL)
    return ga__fail_nomem();
  r->names[r->columns++] = "epoch";
  r->names[r->columns++] = "loss";
  if (t->validate != NULL)
    r->names[r->columns++] = "validation";
  for (size_t i = 0; i < t->metrics; i++) {
    const char *name = gg_func_output_name(t->step, i + 1);
    r->names[r->columns++] = name != NULL && *name != '\0' ? name : "metric";
    GA_TRY(gg__scalars_init(&r->metrics[i], r->count, (unsigned int)i + 1));
  }
  r->names[r->columns++] = "seconds";
  r->names[r->columns++] = "rows_per_second";
  r->names[r->columns++] = "waiting";
  r->names[r->columns++] = "memory";
  return GA_NO_ERROR;
}

/* --- text --- */

/* Numbers have a point in every locale. */
static void put_number(ga__strb *b, double v, const char *nothing) {
  if (!isfinite(v))
    ga__strb_append(b, nothing);
  else if (v == floor(v) && fabs(v) < 1e15)
    ga__strb_appendf(b, "%.0f", v);
  else
    ga__strb_append_real(b, v);
}

static void put_name(ga__strb *b, const char *name, const char *quote) {
  ga__strb_append(b, "\"");
  for (; *name != '\0'; name++) {
    if (*name == '"' || (*name == '\\' && *quote == '\\'))
      ga__strb_append(b, quote);
    ga__strb_append_n(b, (unsigned char)*name < ' ' ? " " : name, 1);
  }
  ga__strb_append(b, "\"");
}

static void put_row(const gg__record *r, ga__strb *b, size_t row,
                    const char *nothing) {
  for (size_t k = 0; k < r->columns; k++) {
    ga__strb_append(b, k != 0 ? "," : "");
    put_number(b, r->rows.v[row * r->columns + k], nothing);
  }
}

static void put_names(const gg__record *r, ga__strb *b, const char *quote) {
  for (size_t k = 0; k < r->columns; k++) {
    ga__strb_append(b, k != 0 ? "," : "");
    put_name(b, r->names[k], quote);
  }
}

static size_t count_rows(const gg__record *r) {
  return r->rows.n / r->columns;
}

/* --- files --- */

/* The whole table, when training begins, or its last line. */
static int put_table(const gg__record *r, int is_line) {
  ga__strb b = GA_STRB_INIT;
  const size_t n = count_rows(r);

  if (!is_line) {
    put_names(r, &b, "\"");
    ga__strb_append(&b, "\n");
  }
  for (size_t i = is_line ? n - 1 : 0; i < n; i++) {
    put_row(r, &b, i, "nan");
    ga__strb_append(&b, "\n");
  }
  const int err =
      b.err != GA_NO_ERROR
          ? b.err
          : gg__folder_put(r->t->report, "curves.csv", b.s, b.n, is_line);
  ga__strb_clear(&b);
  return err;
}

static int put_json(const gg__record *r) {
  ga__strb b = GA_STRB_INIT;

  ga__strb_append(&b, "{\"columns\": [");
  put_names(r, &b, "\\");
  ga__strb_append(&b, "],\n \"rows\": [");
  for (size_t i = 0; i < count_rows(r); i++) {
    ga__strb_append(&b, i != 0 ? ",\n  [" : "\n  [");
    put_row(r, &b, i, "null");
    ga__strb_append(&b, "]");
  }
  ga__strb_append(&b, "]}\n");
  const int err =
      b.err != GA_NO_ERROR
          ? b.err
          : gg__folder_put(r->t->report, "curves.json", b.s, b.n, 0);
  ga__strb_clear(&b);
  return err;
}

/* The curves, without the column of epochs; `v` has room for their values. */
static void fill_curves(const gg__record *r, gg_curve *curves, double *v) {
  const size_t n = count_rows(r);

  for (size_t k = 1; k < r->columns; k++) {
    for (size_t i = 0; i < n; i++)
      v[(k - 1) * n + i] = r->rows.v[i * r->columns + k];
    curves[k - 1] = (gg_curve){.name = r->names[k],
                               .chart = chart_of(r, k),
                               .values = v + (k - 1) * n};
  }
}

static int write_page(const void *page, FILE *out) {
  return gg_curves_html(page, out);
}

static int put_page(const gg__record *r, int is_over) {
  const gg_training *t = r->t;
  char text[120];
  gg_curve *curves = ga__calloc(r->columns, sizeof *curves);
  double *v = ga__calloc(r->rows.n + 1, sizeof *v);
  int err;

  GA_CHECK(curves != NULL && v != NULL ? GA_NO_ERROR : ga__fail_nomem());
  fill_curves(r, curves, v);
  snprintf(text, sizeof text, "%zu of %zu epochs of %zu batches, %zu rows%s",
           count_rows(r), t->epochs, r->count, gg_batches_rows(t->batches),
           is_over ? "" : "; training goes on");
  const gg_curves page = {.title = t->report,
                          .text = text,
                          .reload = is_over ? 0 : 5,
                          .points = count_rows(r),
                          .n_curves = r->columns - 1,
                          .curves = curves,
                          .confusion = t->confusion,
                          .classes = t->classes,
                          .class_names = t->class_names,
                          .step = t->step,
                          .step_page = r->has_step ? "step.html" : NULL};
  err = gg__folder_write(t->report, "report.html", write_page, &page);
done:
  ga__free(curves);
  ga__free(v);
  return err;
}

/* --- going on --- */

static int has_columns(const gg__record *r, const gg_data *d) {
  if (gg_data_array(d)->dims[1] != r->columns)
    return 0;
  for (size_t k = 0; k < r->columns; k++)
    if (gg_data_column(d, r->names[k]) < 0)
      return 0;
  return 1;
}

/* Take over the rows of whole epochs that an earlier call left. A table that is
 * not there, or another one, gives none, which is no error. */
static int load_rows(gg__record *r, size_t epochs) {
  ga__strb path = GA_STRB_INIT;
  gg_data *d = NULL;
  int err;

  GA_CHECK(gg__folder_path(&path, r->t->report, "curves.csv"));
  gg_data_csv(&d, path.s,
              &(gg_csv_spec){.header = 1, .dtype = GA_DOUBLE, .missing = 1});
  const gg_host_array *a = gg_data_array(d);
  for (size_t i = 0; d != NULL && has_columns(r, d) && i < a->dims[0]; i++) {
    const double *row = (const double *)a->data + i * r->columns;
    for (size_t k = 0; row[0] <= (double)epochs && k < r->columns; k++)
      GA_CHECK(ga__vec_push(&r->rows, row[k]));
  }
done:
  gg_data_free(d);
  ga__strb_clear(&path);
  return err;
}

int gg__record_start(gg__record *r, const gg_training *t, size_t count,
                     size_t epochs) {
  *r = (gg__record){.count = count};
  if (t->report == NULL)
    return GA_NO_ERROR;
  r->t = t;
  GA_TRY(ga__dir_make(t->report));
  GA_TRY(make_columns(r));
  if (epochs > 0)
    GA_TRY(load_rows(r, epochs));
  return put_table(r, 0);
}

/* --- steps and epochs --- */

void gg__record_epoch(gg__record *r, size_t index) {
  if (r->t == NULL)
    return;
  r->first = index;
  r->begin = ga__now_ns();
  r->waited = gg_batches_waited(r->t->batches);
}

void gg__record_outputs(gg__record *r, GpuArray **out, size_t index) {
  for (size_t i = 0; r->t != NULL && i < r->t->metrics; i++)
    out[i + 1] = &r->metrics[i].each[index];
}

static int write_timeline(const void *arg, FILE *out) {
  (void)arg;
  return gpuarray_timeline_write(out);
}

static int write_step(const void *arg, FILE *out) {
  const gg__record *r = arg;

  return gg_func_html(r->t->step, out);
}

/* End the measurements, and leave their timeline and the page of the step. */
static int end_measuring(gg__record *r) {
  int err = GA_NO_ERROR;

  if (!r->is_measuring)
    return err;
  r->is_measuring = 0;
  if (r->has_timeline)
    err = gg__folder_write(r->t->report, "timeline.json", write_timeline, NULL);
  r->has_timeline = 0;
  if (err == GA_NO_ERROR)
    err = gg__folder_write(r->t->report, "step.html", write_step, r);
  r->has_step = err == GA_NO_ERROR;
  const int off = gg_func_profile(r->t->step, 0);
  return err != GA_NO_ERROR ? err : off;
}

/* Begin to measure. A timeline of the program's own goes on. */
static int begin_measuring(gg__record *r) {
  gg_profile_row row;

  if (gg_func_profile_rows(r->t->step, &row, 1) != 0 && row.calls != 0)
    return GA_NO_ERROR;
  GA_TRY(gg_func_profile(r->t->step, 1));
  r->is_measuring = 1;
  r->has_timeline =
      !gpuarray_timeline_is_on() && gpuarray_timeline_start(0) == GA_NO_ERROR;
  return GA_NO_ERROR;
}

/* Time the kernels of some calls; not the first, which compiles them, and not
 * if the program times them already. */
static int measure(gg__record *r) {
  if (++r->steps == 1)
    return begin_measuring(r);
  return r->steps <= MEASURED ? GA_NO_ERROR : end_measuring(r);
}

int gg__record_step(gg__record *r, size_t index) {
  if (r->t == NULL)
    return GA_NO_ERROR;
  for (size_t i = 0; i < r->t->metrics; i++)
    GA_TRY(gg__scalars_spread(&r->metrics[i], index, 0));
  return measure(r);
}

/* The mean of a metric over the batches of this call. */
static int mean_of(const gg__record *r, const gg__scalars *s, double *out) {
  double sum = 0;

  for (size_t i = r->first; i < r->count; i++) {
    double v;
    GA_TRY(gg__scalars_read(s, i, &v));
    sum += v;
  }
  *out = sum / (double)(r->count - r->first);
  return GA_NO_ERROR;
}

/* Device memory in use, in MB. */
static double memory_of(const gg__record *r) {
  gpucontext_counters c = {0};

  gpucontext_count(gg_graph_context(gg_params_graph(r->t->params)), &c);
  return 1e-6 * (double)c.used_bytes;
}

static int push_times(gg__record *r) {
  const double seconds = 1e-9 * (double)(ga__now_ns() - r->begin);
  const double part = (double)(r->count - r->first) / (double)r->count;
  const double waited = gg_batches_waited(r->t->batches) - r->waited;

  GA_TRY(ga__vec_push(&r->rows, seconds));
  GA_TRY(ga__vec_push(
      &r->rows, seconds > 0
                    ? part * (double)gg_batches_rows(r->t->batches) / seconds
                    : 0));
  GA_TRY(ga__vec_push(&r->rows, seconds > 0 ? 100 * waited / seconds : 0));
  return ga__vec_push(&r->rows, memory_of(r));
}

static int push_row(gg__record *r, size_t epoch, double loss,
                    const double *value) {
  GA_TRY(ga__vec_push(&r->rows, (double)epoch + 1));
  GA_TRY(ga__vec_push(&r->rows, loss));
  if (r->t->validate != NULL)
    GA_TRY(ga__vec_push(&r->rows, value != NULL ? *value : NAN));
  for (size_t i = 0; i < r->t->metrics; i++) {
    double v;
    GA_TRY(mean_of(r, &r->metrics[i], &v));
    GA_TRY(ga__vec_push(&r->rows, v));
  }
  return push_times(r);
}

int gg__record_line(gg__record *r, size_t epoch, double loss,
                    const double *value) {
  if (r->t == NULL)
    return GA_NO_ERROR;
  const size_t before = r->rows.n;
  const int err = push_row(r, epoch, loss, value);
  if (err != GA_NO_ERROR) {
    r->rows.n = before;
    return err;
  }
  GA_TRY(put_table(r, 1));
  if (r->written != 0 && ga__now_ns() - r->written < EVERY_NS)
    return GA_NO_ERROR;
  r->written = ga__now_ns();
  GA_TRY(put_json(r));
  return put_page(r, 0);
}

int gg__record_end(gg__record *r, int err) {
  const int measured = end_measuring(r);
  err = err != GA_NO_ERROR ? err : measured;
  if (r->t != NULL && err == GA_NO_ERROR)
    err = put_json(r);
  if (r->t != NULL && err == GA_NO_ERROR)
    err = put_page(r, 1);
  for (size_t i = 0; r->metrics != NULL && i < r->t->metrics; i++)
    gg__scalars_clear(&r->metrics[i]);
  ga__free(r->metrics);
  ga__free(r->names);
  ga__vec_clear(&r->rows);
  *r = (gg__record){0};
  return err;
}
