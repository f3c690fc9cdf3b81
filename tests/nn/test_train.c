/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of training: epochs, files, early stopping, interruption. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <gpugraph/nn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 40, COLS = 3, SIZE = 8 };

static float x_data[ROWS][COLS], y_data[ROWS][1];

/* A linear model with dropout, as a program would build it. */
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
    y_data[i][0] = 2 * x_data[i][0] - x_data[i][1] + 0.5f;
  return 0;
}

static model build(void) {
  model m;
  const gg_optimiser how = gg_adam(0.05);
  const gg_host_array arrays[2] = {
      {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, COLS}, .data = x_data},
      {.dtype = GA_FLOAT, .nd = 2, .dims = {ROWS, 1}, .data = y_data}};

  m.g = gg_graph_new(test_context());
  m.p = gg_params_new(m.g, GA_FLOAT, 4);
  gg_var *x = gg_input_sized(m.g, "x", GA_FLOAT, 2, (int64_t[]){-1, COLS}),
         *y = gg_input_sized(m.g, "y", GA_FLOAT, 2, (int64_t[]){-1, 1});
  gg_var *z = gg_nn_dense(m.p, "d", gg_nn_dropout(m.p, x, 0.1), 1, 0);
  gg_var *loss = gg_loss_squared(z, y, GG_LOSS_MEAN);
  gg_func_spec spec = {.inputs = GG_VARS(x, y),
                       .outputs = GG_VARS(loss),
                       .updates = gg_optimise(m.p, loss, &how)};
  if (gg_func_new(&m.train, m.g, &spec) != GA_NO_ERROR)
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

static void weights(const model *m, float w[COLS]) {
  assert_ok(
      gg_shared_read(gg_params_find(m->p, "d.weight"), w, COLS * sizeof *w));
}

static gg_training usual(const model *m, size_t epochs) {
  return (gg_training){
      .step = m->train, .batches = m->b, .params = m->p, .epochs = epochs};
}

/* Train a fresh model without interruption. */
static void train_once(size_t epochs, float w[COLS], gg_trained *done) {
  model m = build();
  const gg_training t = usual(&m, epochs);

  assert_ok(gg_train(&t, done));
  weights(&m, w);
  drop(&m);
}

static char *text_of(FILE *f) {
  static char text[4096];

  rewind(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  return text;
}

static void losses_fall_and_each_epoch_has_a_line(void **state) {
  model m = build();
  gg_training t = usual(&m, 12);
  gg_trained done;
  FILE *f = tmpfile();
  int lines = 0;

  (void)state;
  t.progress = f;
  assert_ok(gg_train(&t, &done));
  assert_int_equal(done.epochs, 12);
  assert_int_equal(done.steps, 60);
  assert_true(done.loss < 0.5 && done.best <= done.loss);
  assert_true(done.seconds > 0 && done.waited >= 0);
  assert_false(done.interrupted || done.stopped);
  const char *text = text_of(f);
  assert_null(strchr(text, '\r'));
  assert_non_null(strstr(text, "epoch 12/12  loss 0."));
  for (; *text != '\0'; text++)
    lines += *text == '\n';
  assert_int_equal(lines, 12);
  fclose(f);
  drop(&m);
}

/* --- going on --- */

static void training_goes_on_with_the_same_bits(void **state) {
  const char *path = test_file_path("train_state.safetensors");
  float whole[COLS], parts[COLS];
  gg_trained one, other;

  (void)state;
  remove(path);
  train_once(5, whole, &one);
  for (size_t epochs = 2; epochs <= 5; epochs += 3) {
    model m = build();
    gg_training t = usual(&m, epochs);
    t.state_path = path;
    assert_ok(gg_train(&t, &other));
    weights(&m, parts);
    drop(&m);
  }
  assert_memory_equal(whole, parts, sizeof whole);
  assert_true(one.loss == other.loss && one.best == other.best);
  assert_int_equal(other.steps, 15);
  remove(path);
}

static atomic_int is_training; /* the terminal has shown that it began */

static void *press_later(void *arg) {
  (void)arg;
  while (!is_training)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  kill(getpid(), SIGINT);
  return NULL;
}

/* A terminal of our own; what is written to it is read from *master. */
static FILE *terminal(int *master) {
  *master = posix_openpt(O_RDWR | O_NOCTTY);
  if (*master < 0 || grantpt(*master) != 0 || unlockpt(*master) != 0)
    return NULL;
  const int slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
  return slave >= 0 ? fdopen(slave, "w") : NULL;
}

/* Reads what a terminal shows, so that writers do not wait. */
static void *watch(void *arg) {
  static char text[1 << 16];
  const int master = *(int *)arg;
  size_t n = 0;
  ssize_t got = 1;

  while (got > 0 && n + 1 < sizeof text) {
    got = read(master, text + n, sizeof text - 1 - n);
    n += got > 0 ? (size_t)got : 0;
    text[n] = '\0';
    if (strstr(text, "epoch 2/") != NULL)
      is_training = 1;
  }
  while (got > 0) {
    char rest[512];
    got = read(master, rest, sizeof rest);
  }
  return text;
}

/* Wherever it was interrupted, training goes on as if it had not been. */
static void interrupted_training_goes_on(void **state) {
  const char *path = test_file_path("train_stop.safetensors");
  float whole[COLS], parts[COLS];
  gg_trained done, rest;
  pthread_t finger, eye;
  void *text;
  int master;
  FILE *f = terminal(&master);

  (void)state;
  if (f == NULL)
    skip();
  remove(path);
  model m = build();
  gg_training t = usual(&m, (size_t)1 << 40);
  t.state_path = path;
  t.interruptible = 1;
  t.progress = f;
  /* The first step compiles kernels. */
  t.epochs = 1;
  assert_ok(gg_train(&t, &done));
  t.epochs = (size_t)1 << 40;
  assert_int_equal(pthread_create(&eye, NULL, watch, &master), 0);
  assert_int_equal(pthread_create(&finger, NULL, press_later, NULL), 0);
  assert_ok(gg_train(&t, &done));
  pthread_join(finger, NULL);
  fclose(f);
  pthread_join(eye, &text);
  close(master);
  assert_true(done.interrupted);
  assert_non_null(strstr(text, "\repoch "));
  assert_non_null(strstr(text, " rows/s "));
  drop(&m);

  model n = build();
  t = usual(&n, done.epochs + 2);
  t.state_path = path;
  assert_ok(gg_train(&t, &rest));
  weights(&n, parts);
  drop(&n);
  gg_trained at_once;
  train_once(done.epochs + 2, whole, &at_once);
  assert_memory_equal(whole, parts, sizeof whole);
  assert_true(at_once.loss == rest.loss && at_once.best == rest.best);
  remove(path);
}

/* --- early stopping --- */

typedef struct values {
  int n;
  double v[8];
} values;

static int next_value(void *arg, double *value) {
  values *list = arg;

  *value = list->v[list->n++];
  return *value < 0 ? gpuarray_fail(GA_MISC_ERROR, "no value") : GA_NO_ERROR;
}

static void training_stops_and_the_best_is_kept(void **state) {
  const char *path = test_file_path("train_best.safetensors");
  float best[COLS], two[COLS], last[COLS];
  values list = {.v = {5, 3, NAN, 3, 4, 2}};
  gg_trained done;
  model m = build();
  gg_training t = usual(&m, 8);

  (void)state;
  t.validate = next_value;
  t.arg = &list;
  t.patience = 3;
  t.best_path = path;
  assert_ok(gg_train(&t, &done));
  assert_int_equal(done.epochs, 5);
  assert_true(done.stopped && done.best == 3);
  weights(&m, last);
  assert_ok(gg_params_load(m.p, path));
  weights(&m, best);
  drop(&m);
  train_once(2, two, &done);
  assert_memory_equal(best, two, sizeof best);
  assert_memory_not_equal(best, last, sizeof best);
  remove(path);
}

/* --- a full disk --- */

static void check_bytes(const char *path, const unsigned char *want, size_t n) {
  size_t n_got;
  unsigned char *bytes = test_file_read(path, &n_got);

  assert_int_equal(n_got, n);
  assert_memory_equal(bytes, want, n);
  free(bytes);
}

static int count_files(const char *path) {
  DIR *d = opendir(path);
  int n = -2; /* less . and .. */

  assert_non_null(d);
  while (readdir(d) != NULL)
    n++;
  closedir(d);
  return n;
}

/* Both files are named and stay as they were; with room again, training goes
 * on from them. */
static void full_disks_are_reported(void **state) {
  const char *folder = test_file_path("train_full"),
             *state_path = test_file_path("train_full/state.safetensors"),
             *best_path = test_file_path("train_full/best.safetensors");
  float whole[COLS], parts[COLS];
  gg_trained done;
  size_t n[2];

  (void)state;
  mkdir(folder, 0777);
  model m = build();
  gg_training t = usual(&m, 2);
  t.state_path = state_path;
  t.best_path = best_path;
  assert_ok(gg_train(&t, &done));
  unsigned char *saved = test_file_read(state_path, &n[0]),
                *best = test_file_read(best_path, &n[1]);

  t.epochs = 4;
  test_disk_is_full(64);
  int err = gg_train(&t, NULL);
  test_disk_has_room();
  assert_code(GA_SYS_ERROR, err);
  assert_message(GA_SYS_ERROR, best_path);
  t.best_path = NULL;
  test_disk_is_full(64);
  err = gg_train(&t, NULL);
  test_disk_has_room();
  assert_code(GA_SYS_ERROR, err);
  assert_message(GA_SYS_ERROR, state_path);
  check_bytes(state_path, saved, n[0]);
  check_bytes(best_path, best, n[1]);
  assert_int_equal(count_files(folder), 2);

  assert_ok(gg_train(&t, &done));
  weights(&m, parts);
  drop(&m);
  train_once(4, whole, &done);
  assert_memory_equal(whole, parts, sizeof whole);
  free(saved);
  free(best);
  remove(state_path);
  remove(best_path);
  rmdir(folder);
}

/* --- what is refused --- */

static void bad_trainings_are_refused(void **state) {
  model m = build();
  gg_training t = usual(&m, 2);
  values list = {.v = {-1}};
  gg_func *f;
  gg_trained done;

  (void)state;
  assert_code(GA_INVALID_ERROR, gg_train(NULL, &done));
  t.step = NULL;
  assert_code(GA_INVALID_ERROR, gg_train(&t, &done));
  gg_var *x = gg_input(m.g, "x", GA_FLOAT, 2);
  assert_ok(gg_func_new(
      &f, m.g,
      &(gg_func_spec){.inputs = GG_VARS(x), .outputs = GG_VARS(gg_exp(x))}));
  t.step = f;
  assert_code(GA_VALUE_ERROR, gg_train(&t, &done));
  assert_message(GA_VALUE_ERROR, "1 inputs and 1 outputs");
  gg_func_free(f);
  gg_var *y = gg_input(m.g, "y", GA_FLOAT, 2);
  assert_ok(gg_func_new(&f, m.g,
                        &(gg_func_spec){.inputs = GG_VARS(x, y),
                                        .outputs = GG_VARS(gg_exp(x)),
                                        .flags = GG_ALLOW_UNUSED_INPUT}));
  t.step = f;
  assert_code(GA_VALUE_ERROR, gg_train(&t, &done));
  assert_message(GA_VALUE_ERROR, "expected a float scalar");
  gg_func_free(f);
  t.step = m.train;
  t.validate = next_value;
  t.arg = &list;
  assert_code(GA_MISC_ERROR, gg_train(&t, NULL));
  assert_message(GA_MISC_ERROR, "no value");
  drop(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(losses_fall_and_each_epoch_has_a_line),
      cmocka_unit_test(training_goes_on_with_the_same_bits),
      cmocka_unit_test(interrupted_training_goes_on),
      cmocka_unit_test(training_stops_and_the_best_is_kept),
      cmocka_unit_test(full_disks_are_reported),
      cmocka_unit_test(bad_trainings_are_refused)};

  return cmocka_run_group_tests(tests, setup, test_context_drop);
}
