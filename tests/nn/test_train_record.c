/* SPDX-License-Identifier: BSD-2-Clause */
/* The folder of a training: lines that grow, a page, what is refused; confusion
 * matrices. */
#include "support/device.h"
#include "support/graph_case.h"
#include "support/locale.h"
#include "support/tmpfile.h"

#include <gpugraph/nn.h>
#include <gpugraph/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 24, COLS = 2, SIZE = 8 };

static float x_data[ROWS][COLS], y_data[ROWS][1];

typedef struct model {
  gg_graph *g;
  gg_params *p;
  gg_func *train;
  gg_batches *b;
} model;

static int setup(void **state) {
  (void)state;
  test_fill(x_data, GA_FLOAT, (size_t)ROWS * COLS, -1, 1, 3);
  for (int i = 0; i < ROWS; i++)
    y_data[i][0] = x_data[i][0] - x_data[i][1];
  return 0;
}

/* A linear model whose step has the loss, the largest error and the rate. */
static model build(void) {
  const gg_host_array arrays[2] = {
      {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, COLS}, .data = x_data},
      {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, 1}, .data = y_data}};
  gg_optimiser how = gg_sgd(0);
  model m;

  m.g = gg_graph_new(test_context());
  m.p = gg_params_new(m.g, GA_FLOAT, 4);
  gg_var *x = gg_input_sized(m.g, "x", GA_FLOAT, 2, (int64_t[]){-1, COLS}),
         *y = gg_input_sized(m.g, "y", GA_FLOAT, 2, (int64_t[]){-1, 1});
  gg_var *z = gg_nn_dense(m.p, "d", x, 1, 0);
  gg_var *loss = gg_loss_squared(z, y, GG_LOSS_MEAN);
  gg_var *worst = gg_named(gg_max(gg_abs(gg_sub(z, y))), "worst \"error\"");
  how.schedule = gg_rate_constant(gg_params_step(m.p), 0.5);
  gg_var *rate =
      gg_named(gg_mul(how.schedule, gg_scalar(m.g, GA_FLOAT, 1)), "rate");
  if (gg_func_new(&m.train, m.g,
                  &(gg_func_spec){.inputs = GG_VARS(x, y),
                                  .outputs = GG_VARS(loss, worst, rate),
                                  .updates = gg_optimise(m.p, loss, &how)}) !=
      GA_NO_ERROR)
    fail_msg("%s", gg_graph_error(m.g));
  assert_ok(gg_batches_new(&m.b, test_context(), 2, arrays,
                           &(gg_batches_spec){.size = SIZE, .seed = 2}));
  return m;
}

static void drop(model *m) {
  gg_batches_free(m->b);
  gg_func_free(m->train);
  gg_params_free(m->p);
  gg_graph_free(m->g);
}

static const char *folder(void) {
  static char path[512];

  snprintf(path, sizeof path, "%s", test_file_path("report"));
  return path;
}

static const char *path_in(const char *name) {
  static char path[600];

  snprintf(path, sizeof path, "%s/%s", folder(), name);
  return path;
}

static void remove_all(void) {
  remove(path_in("curves.csv"));
  remove(path_in("curves.json"));
  remove(path_in("report.html"));
  remove(path_in("timeline.json"));
  remove(path_in("step.html"));
  rmdir(folder());
}

/* The text of a file, to be freed. */
static char *text_of(const char *name) {
  size_t n;
  unsigned char *bytes = test_file_read(path_in(name), &n);
  char *text = calloc(n + 1, 1);

  memcpy(text, bytes, n);
  free(bytes);
  return text;
}

static void file_has(const char *name, const char *part) {
  char *text = text_of(name);

  if (strstr(text, part) == NULL)
    fail_msg("%s lacks \"%s\": %s", name, part, text);
  free(text);
}

static int validate(void *arg, double *value) {
  int *n = arg;

  *value = 0.25 * ++*n;
  return GA_NO_ERROR;
}

static const double confusion[4] = {3, 1, 0, 4};
static const char *const names[2] = {"cat", "<dog>"};

static gg_training usual(const model *m, int *n, size_t epochs) {
  return (gg_training){.step = m->train,
                       .batches = m->b,
                       .params = m->p,
                       .epochs = epochs,
                       .validate = validate,
                       .arg = n,
                       .report = folder(),
                       .metrics = 2,
                       .confusion = confusion,
                       .classes = 2,
                       .class_names = names};
}

/* The table of so many epochs, as a reader of such files has it. */
static void check_table(size_t epochs) {
  gg_data *d;

  assert_ok(gg_data_csv(&d, path_in("curves.csv"),
                        &(gg_csv_spec){.header = 1, .dtype = GA_DOUBLE}));
  const gg_host_array *all = gg_data_array(d);
  assert_int_equal(all->dims[0], epochs);
  assert_int_equal(all->dims[1], 9);
  assert_int_equal(gg_data_column(d, "epoch"), 0);
  assert_int_equal(gg_data_column(d, "validation"), 2);
  assert_int_equal(gg_data_column(d, "rate"), 4);
  assert_int_equal(gg_data_column(d, "memory"), 8);
  for (size_t i = 0; i < epochs; i++) {
    const double *row = (const double *)all->data + 9 * i;
    assert_true(row[0] == (double)i + 1);
    assert_true(row[2] == 0.25 * (double)(i + 1));
    assert_true(row[4] == 0.5);
    assert_true(row[1] > 0 && row[3] > 0 && row[5] > 0 && row[6] > 0);
    assert_true(row[7] >= 0 && row[7] <= 100 && row[8] > 0);
    if (i > 0)
      assert_true(row[1] < row[1 - 9]);
  }
  gg_data_free(d);
}

static void trainings_leave_a_report(void **state) {
  int n = 0;
  model m = build();
  gg_training t = usual(&m, &n, 4);
  gg_profile_row row;

  (void)state;
  remove_all();
  assert_ok(gg_train(&t, NULL));
  check_table(4);
  file_has("curves.csv", "\"worst \"\"error\"\"\"");
  file_has("curves.json", "\"worst \\\"error\\\"\",\"rate\"");
  file_has("report.html", "4 of 4 epochs of 3 batches, 24 rows");
  file_has("report.html", "<h2>Loss</h2>");
  file_has("report.html", "<h2>Learning rate</h2>");
  file_has("report.html", "worst &quot;error&quot;");
  file_has("report.html", "&lt;dog&gt;");
  file_has("report.html", "75.0 %");
  file_has("report.html", "Slowest kernels");
  file_has("report.html", "</body></html>");
  file_has("report.html", "<a href=\"step.html\">");
  file_has("step.html", "</html>");
  file_has("timeline.json", "\"cat\": \"device\"");
  file_has("timeline.json", "{\"name\": \"batches\"}");
  char *text = text_of("report.html");
  assert_null(strstr(text, "reload"));
  free(text);
  assert_true(gg_func_profile_rows(m.train, &row, 1) > 0 && row.calls > 0);
  drop(&m);
  remove_all();
}

static void reports_are_the_same_in_each_locale(void **state) {
  int n = 0;

  (void)state;
  test_comma_locale();
  model m = build();
  const gg_training t = usual(&m, &n, 2);
  remove_all();
  assert_ok(gg_train(&t, NULL));
  test_plain_locale();
  check_table(2);
  drop(&m);
  remove_all();
}

/* A training that goes on appends to the table, and drops lines of epochs that
 * it repeats. */
static void reports_go_on(void **state) {
  char path[512];
  int n = 0;

  (void)state;
  snprintf(path, sizeof path, "%s", test_file_path("record.safetensors"));
  remove_all();
  remove(path);
  for (size_t epochs = 2; epochs <= 5; epochs += 3) {
    model m = build();
    gg_training t = usual(&m, &n, epochs);
    t.state_path = path;
    assert_ok(gg_train(&t, NULL));
    drop(&m);
    check_table(epochs);
    FILE *f = fopen(path_in("curves.csv"), "a");
    fputs("9,1,1,1,1,1,1,1,1\n", f);
    fclose(f);
  }
  model m = build();
  gg_training t = usual(&m, &n, 5);
  t.state_path = path;
  assert_ok(gg_train(&t, NULL));
  drop(&m);
  check_table(5);
  test_file_write(path_in("curves.csv"), "x\n1\n", 4);
  m = build();
  t = usual(&m, &n, 5);
  t.state_path = path;
  t.epochs = 6;
  assert_ok(gg_train(&t, NULL));
  drop(&m);
  char *text = text_of("curves.csv");
  assert_non_null(strstr(text, "\n6,"));
  assert_null(strstr(text, "\n5,"));
  free(text);
  remove_all();
  remove(path);
}

/* The table never ends in half a line. */
static void full_disks_are_reported(void **state) {
  int n = 0;
  model m = build();
  gg_training t = usual(&m, &n, 2);
  size_t bytes;

  (void)state;
  remove_all();
  assert_ok(gg_train(&t, NULL));
  unsigned char *table = test_file_read(path_in("curves.csv"), &bytes);
  free(table);
  remove_all();
  n = 0;
  test_disk_is_full(bytes - 20);
  const int err = gg_train(&t, NULL);
  test_disk_has_room();
  assert_code(GA_SYS_ERROR, err);
  assert_message(GA_SYS_ERROR, folder());
  char *text = text_of("curves.csv");
  const size_t length = strlen(text);
  assert_true(length > 0 && length < bytes && text[length - 1] == '\n');
  free(text);
  drop(&m);
  remove_all();
}

static void bad_reports_are_refused(void **state) {
  int n = 0;
  model m = build();
  gg_training t = usual(&m, &n, 1);

  (void)state;
  t.metrics = 3;
  assert_code(GA_VALUE_ERROR, gg_train(&t, NULL));
  assert_message(GA_VALUE_ERROR, "3 metrics of 3 outputs");
  t = usual(&m, &n, 1);
  t.report = NULL;
  assert_code(GA_VALUE_ERROR, gg_train(&t, NULL));
  assert_message(GA_VALUE_ERROR, "without a report");
  t = usual(&m, &n, 1);
  t.confusion = NULL;
  assert_code(GA_INVALID_ERROR, gg_train(&t, NULL));
  t = usual(&m, &n, 1);
  t.report = "/proc/no/such/folder";
  assert_code(GA_SYS_ERROR, gg_train(&t, NULL));
  drop(&m);
}

/* --- pages --- */

static void pages_have_gaps_and_refusals(void **state) {
  const double v[3] = {1, NAN, INFINITY}, none[3] = {NAN, NAN, NAN};
  const gg_curve curves[2] = {{.name = "a", .chart = "One", .values = v},
                              {.name = "b", .chart = "Two", .values = none}};
  gg_curves page = {.points = 3, .n_curves = 2, .curves = curves, .reload = 7};
  char *text = NULL;
  size_t n;
  FILE *f = open_memstream(&text, &n);

  (void)state;
  assert_ok(gg_curves_html(&page, f));
  fclose(f);
  assert_non_null(strstr(text, "<h1>Training</h1>"));
  assert_non_null(strstr(text, "d=\"M800 1300h0\""));
  assert_non_null(strstr(text, "<h2>Two</h2>\n<p>No values yet."));
  assert_non_null(strstr(text, "reload(), 7000"));
  free(text);
  assert_code(GA_INVALID_ERROR, gg_curves_html(NULL, stdout));
  assert_code(GA_INVALID_ERROR, gg_curves_html(&page, NULL));
  page.curves = NULL;
  assert_code(GA_INVALID_ERROR, gg_curves_html(&page, stdout));
  page.curves = (gg_curve[]){{.name = "a", .chart = "One"}};
  page.n_curves = 1;
  assert_code(GA_INVALID_ERROR, gg_curves_html(&page, stdout));
  assert_message(GA_INVALID_ERROR, "curve 0 has no values");
}

/* --- confusion matrices --- */

static void confusion_matrices_count_pairs(void **state) {
  enum { CLASSES = 3, N = 60 };
  int labels[N];
  signed char guesses[N];
  int64_t want[CLASSES][CLASSES] = {{0}}, got[CLASSES][CLASSES];
  gg_var *y = gg_input(g, "y", GA_INT, 1), *z = gg_input(g, "z", GA_BYTE, 1);
  gg_var *x = gg_input(g, "x", GA_FLOAT, 1);
  gg_func *f;
  gg_host_array one = {.dtype = GA_INT, .nd = 1, .dims = {N}, .data = labels},
                two = {.dtype = GA_BYTE, .nd = 1, .dims = {N}, .data = guesses},
                counts = {.data = got, .bytes = sizeof got};

  (void)state;
  test_fill(labels, GA_INT, N, -1, CLASSES + 1, 1);
  test_fill(guesses, GA_BYTE, N, -1, CLASSES + 1, 2);
  for (int i = 0; i < N; i++)
    if (labels[i] >= 0 && labels[i] < CLASSES && guesses[i] >= 0 &&
        guesses[i] < CLASSES)
      want[labels[i]][(int)guesses[i]]++;
  assert_ok(gg_func_new(
      &f, g,
      &(gg_func_spec){.inputs = GG_VARS(y, z),
                      .outputs = GG_VARS(gg_confusion(y, z, CLASSES))}));
  assert_ok(gg_func_call_host(f, (const gg_host_array *[]){&one, &two},
                              (gg_host_array *[]){&counts}));
  assert_memory_equal(got, want, sizeof want);
  gg_func_free(f);
  graph_refused(gg_confusion(NULL, z, 3),
                "confusion(int8[?]): operand 0 is NULL");
  assert_null(gg_confusion(y, x, CLASSES));
  graph_says(GA_VALUE_ERROR, "expected integers of one rank");
  assert_null(gg_confusion(y, z, 0));
  graph_says(GA_VALUE_ERROR, "0 classes, expected 1 to 2^30");
  assert_null(gg_confusion(y, z, SIZE_MAX));
  graph_says(GA_VALUE_ERROR, "classes, expected 1 to 2^30");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trainings_leave_a_report),
      cmocka_unit_test(reports_are_the_same_in_each_locale),
      cmocka_unit_test(reports_go_on),
      cmocka_unit_test(full_disks_are_reported),
      cmocka_unit_test(bad_reports_are_refused),
      cmocka_unit_test(pages_have_gaps_and_refusals),
      cmocka_unit_test_setup_teardown(confusion_matrices_count_pairs,
                                      graph_setup, graph_teardown)};

  return cmocka_run_group_tests(tests, setup, test_context_drop);
}
