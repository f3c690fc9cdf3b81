/* SPDX-License-Identifier: BSD-2-Clause */
/* What a training shows in a terminal of its own: its width, also when that
 * changes; Ctrl-C, typed there; plain lines in a pipe. */
#include "support/device.h"
#include "support/tmpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <gpugraph/nn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 1 << 16, COLS = 3, SIZE = 8, NARROW = 40, WIDE = 100 };

static float data[ROWS][COLS];

/* --- in the child --- */

typedef struct model {
  gg_graph *g;
  gg_params *p;
  gg_func *step;
  gg_batches *b;
} model;

static int build(model *m, size_t rows) {
  gpucontext *ctx = test_context();
  const gg_optimiser how = gg_adam(1e-4);
  const gg_host_array x_rows = {
      .dtype = GA_FLOAT, .nd = 2, .dims = {rows, COLS}, .data = data};

  m->g = gg_graph_new(ctx);
  m->p = gg_params_new(m->g, GA_FLOAT, 4);
  gg_var *x = gg_input_sized(m->g, "x", GA_FLOAT, 2, (int64_t[]){-1, COLS});
  gg_var *loss = gg_mean(gg_sqr(gg_nn_dense(m->p, "d", x, 1, 0)));
  const gg_func_spec spec = {.inputs = GG_VARS(x),
                             .outputs = GG_VARS(loss),
                             .updates = gg_optimise(m->p, loss, &how)};
  const int err = gg_func_new(&m->step, m->g, &spec);
  return err != GA_NO_ERROR
             ? err
             : gg_batches_new(&m->b, ctx, 1, &x_rows,
                              &(gg_batches_spec){.size = SIZE, .seed = 2});
}

static void drop(model *m) {
  gg_batches_free(m->b);
  gg_func_free(m->step);
  gg_params_free(m->p);
  gg_graph_free(m->g);
}

/* Train an epoch with few batches, so that there is a best model, then many.
 * Returns the status of the process: 0 if Ctrl-C ended it. */
static int train_until_stopped(const char *best) {
  model one, two;
  gg_trained done;
  int err = build(&one, 4 * SIZE);
  gg_training t = {.step = one.step,
                   .batches = one.b,
                   .params = one.p,
                   .epochs = 2,
                   .progress = stdout,
                   .best_path = best,
                   .interruptible = 1};

  if (err != GA_NO_ERROR || gg_train(&t, &done) != GA_NO_ERROR)
    return 2;
  err = build(&two, ROWS);
  t = (gg_training){.step = two.step,
                    .batches = two.b,
                    .params = two.p,
                    .epochs = 1000,
                    .progress = stdout,
                    .interruptible = 1};
  if (err != GA_NO_ERROR || gg_train(&t, &done) != GA_NO_ERROR)
    return 3;
  if (!done.interrupted || gg_params_load(two.p, best) != GA_NO_ERROR)
    return 4;
  drop(&one);
  drop(&two);
  puts("the end");
  return 0;
}

static int train_twice(const char *best) {
  model m;
  const int err = build(&m, 4 * SIZE);
  const gg_training t = {.step = m.step,
                         .batches = m.b,
                         .params = m.p,
                         .epochs = 2,
                         .progress = stdout};

  (void)best;
  if (err != GA_NO_ERROR || gg_train(&t, NULL) != GA_NO_ERROR)
    return 2;
  drop(&m);
  return 0;
}

/* No training: whether there is a device. */
static int find_device(const char *best) {
  gpucontext *ctx = NULL;
  const int err = gpucontext_open(&ctx, NULL);

  (void)best;
  if (err != GA_NO_ERROR)
    puts(gpuarray_error_text(err));
  else
    gpucontext_deref(ctx);
  return err == GA_NODEV_ERROR ? 77 : err != GA_NO_ERROR;
}

/* --- in the test --- */

typedef struct shown {
  char text[1 << 16];
  size_t n;
} shown;

static shown seen;

/* Start the child with its output at `to`; a terminal becomes its own. */
static pid_t start(int (*run)(const char *), const char *best, int to,
                   int is_terminal) {
  fflush(NULL);
  const pid_t pid = fork();

  if (pid != 0)
    return pid;
  if (is_terminal && (setsid() < 0 || ioctl(to, TIOCSCTTY, 0) != 0))
    _exit(9);
  if (dup2(to, STDOUT_FILENO) < 0)
    _exit(9);
  const int status = run(best);
  fflush(stdout);
  test_context_drop(NULL);
  _exit(status);
}

/* How often a line began anew, from there on. */
static size_t redrawn(size_t from) {
  size_t n = 0;

  for (size_t i = from; i < seen.n; i++)
    n += seen.text[i] == '\r';
  return n;
}

static int read_more(int fd) {
  ssize_t got;

  assert_true(seen.n + 1 < sizeof seen.text);
  do
    got = read(fd, seen.text + seen.n, sizeof seen.text - 1 - seen.n);
  while (got < 0 && errno == EINTR);
  seen.n += got > 0 ? (size_t)got : 0;
  seen.text[seen.n] = '\0';
  return got > 0;
}

/* Read until so many more lines began anew. Returns where the text ends. */
static size_t read_lines(int fd, size_t times) {
  const size_t from = seen.n;

  while (redrawn(from) < times && read_more(fd))
    ;
  assert_true(redrawn(from) >= times);
  return seen.n;
}

static void resize(int fd, unsigned short width) {
  assert_int_equal(
      ioctl(fd, TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = width}),
      0);
}

/* The columns of the longest line in a part of the text. */
static size_t widest(size_t from, size_t to) {
  size_t most = 0, n = 0;

  for (size_t i = from; i < to; i++) {
    const char c = seen.text[i];
    if (c == '\r' || c == '\n')
      n = 0;
    else if (strncmp(seen.text + i, "\033[K", 3) == 0)
      i += 2;
    else
      n++;
    most = n > most ? n : most;
  }
  return most;
}

static int status_of(pid_t pid) {
  int status;

  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* A terminal that neither shows Ctrl-C nor throws away what was written before.
 * Either can happen after the process has answered the signal. */
static int open_terminal(int *slave) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  struct termios how;

  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
    return -1;
  *slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (*slave < 0 || tcgetattr(*slave, &how) != 0)
    return -1;
  how.c_lflag &= ~(tcflag_t)ECHO;
  how.c_lflag |= NOFLSH;
  assert_int_equal(tcsetattr(*slave, TCSANOW, &how), 0);
  return master;
}

/* Run a child whose output goes to a pipe to its end. Returns its status. */
static int run_in_pipe(int (*run)(const char *)) {
  int ends[2];

  seen.n = 0;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = start(run, NULL, ends[1], 0);
  close(ends[1]);
  while (read_more(ends[0]))
    ;
  close(ends[0]);
  return status_of(child);
}

/* Skip the test when there is no device: children cannot. */
static void need_device(void) {
  const int status = run_in_pipe(find_device);

  if (status == 77) {
    /* CTest looks for these words to show the test as skipped. */
    print_message("no OpenCL device: skipped (%s)\n", seen.text);
    skip();
  }
  if (status != 0)
    fail_msg("cannot open the device: %s", seen.text);
}

static void terminals_are_filled_and_ctrl_c_ends_it(void **state) {
  const char *best = test_file_path("terminal_best.safetensors");
  int slave = -1;

  (void)state;
  need_device();
  const int master = open_terminal(&slave);
  if (master < 0) {
    print_message("no pseudo-terminals: skipped\n");
    skip();
  }
  seen.n = 0;
  seen.text[0] = '\0';
  resize(master, NARROW);
  const pid_t child = start(train_until_stopped, best, slave, 1);
  close(slave);
  /* The training that is to be stopped is the second one. */
  while (strstr(seen.text, "epoch 1/1000 ") == NULL && read_more(master))
    ;
  const size_t narrow = read_lines(master, 6);
  resize(master, WIDE);
  const size_t between = read_lines(master, 2), wide = read_lines(master, 2);
  assert_int_equal(write(master, "\003", 1), 1);
  while (read_more(master))
    ;
  assert_int_equal(status_of(child), 0);
  close(master);
  assert_true(widest(0, narrow) < NARROW && widest(0, narrow) > NARROW / 2);
  assert_true(widest(between, wide) > NARROW && widest(between, wide) < WIDE);
  const char *line = strstr(seen.text, "epoch 1/1000 ");
  assert_true(line != NULL && strchr("#.", line[13]) != NULL);
  assert_int_equal(strncmp(seen.text, "\repoch 1/2 ....", 15), 0);
  line = strstr(seen.text, "  0 %  compiling\033[K\r");
  assert_true(line != NULL && line < strstr(seen.text, "  loss "));
  assert_non_null(strstr(seen.text, " rows/s "));
  assert_non_null(strstr(seen.text, "\nthe end"));
  remove(best);
}

static void pipes_get_plain_lines(void **state) {
  (void)state;
  need_device();
  assert_int_equal(run_in_pipe(train_twice), 0);
  assert_null(strpbrk(seen.text, "\r\033"));
  assert_int_equal(strncmp(seen.text, "epoch 1/2  loss ", 16), 0);
  assert_non_null(strstr(seen.text, "\nepoch 2/2  loss "));
  assert_non_null(strstr(seen.text, " % waiting\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terminals_are_filled_and_ctrl_c_ends_it),
      cmocka_unit_test(pipes_get_plain_lines)};

  /* No context here: children make their own. */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
