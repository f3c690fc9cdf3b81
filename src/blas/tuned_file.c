/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of CLBlast's kernels that the user found with its tuners.
 *
 * The tuners write a JSON file for each search into their working folder. Its
 * head has the device, the kernel and the best parameters; the list of trials
 * after it is not read. Files that do not parse are ignored, since parameters
 * only change the speed of a product. */
#include "blas/product_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/file.h"
#include "base/strb.h"

enum {
  HEAD = 4096,
  TEXT = 512
}; /* bytes that are read of a file, and of its
                                     parameters */

/* The tuner's name of each kernel, without the number of the search, and the
 * library's name. */
static const char *const kernels[][2] = {{"xgemm_direct", "XgemmDirect"},
                                         {"xgemm", "Xgemm"},
                                         {"gemm_routine", "GemmRoutine"},
                                         {"copy", "Copy"},
                                         {"pad", "Pad"},
                                         {"transpose", "Transpose"},
                                         {"padtranspose", "Padtranspose"}};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0], N_BITS = 2 };

/* The best parameters of a kernel so far; `text` is "" if there are none. */
typedef struct winner {
  double time; /* milliseconds */
  char text[TEXT];
} winner;

typedef struct search {
  const char *folder, *device;
  winner best[N_KERNELS][N_BITS]; /* for 32 bits, for 64 */
} search;

/* Copy the string value of `key`. Returns 0 if there is none or it does not
 * fit. */
static int get(char *out, size_t room, const char *head, const char *key) {
  char quoted[40];

  snprintf(quoted, sizeof quoted, "\"%s\": \"", key);
  const char *s = strstr(head, quoted);
  if (s == NULL)
    return 0;
  s += strlen(quoted);
  const char *end = strchr(s, '"');
  if (end == NULL || (size_t)(end - s) >= room)
    return 0;
  memcpy(out, s, (size_t)(end - s));
  out[end - s] = '\0';
  return 1;
}

/* The index of a tuner's name in `kernels`, or -1. Cuts the number of the
 * search off `family`. */
static int find_kernel(char *family) {
  size_t n = strlen(family);

  while (n > 0 && strchr("0123456789", family[n - 1]) != NULL)
    n--;
  if (n > 0 && family[n - 1] == '_')
    family[n - 1] = '\0';
  for (int i = 0; i < N_KERNELS; i++) {
    if (strcmp(family, kernels[i][0]) == 0)
      return i;
  }
  return -1;
}

static void look_at(search *s, const char *head) {
  char device[256], family[64], bits[16], time[32], text[TEXT];

  if (!get(device, sizeof device, head, "device") ||
      strcmp(device, s->device) != 0 ||
      !get(family, sizeof family, head, "kernel_family") ||
      !get(bits, sizeof bits, head, "precision") ||
      !get(time, sizeof time, head, "best_time") ||
      !get(text, sizeof text, head, "best_parameters"))
    return;
  int k = find_kernel(family);
  if (k < 0 || (strcmp(bits, "32") != 0 && strcmp(bits, "64") != 0))
    return;
  winner *w = &s->best[k][bits[0] == '6'];
  double t = ga__real_of_text(time);
  if (t > 0 && (w->text[0] == '\0' || t < w->time)) {
    w->time = t;
    memcpy(w->text, text, sizeof text);
  }
}

static int look_at_file(void *arg, const ga__dir_entry *e) {
  const size_t n = strlen(e->name);
  ga__strb path = GA_STRB_INIT;
  unsigned char *bytes = NULL;
  char head[HEAD + 1];
  search *s = arg;
  size_t size = 0;

  if (n < 5 || strcmp(e->name + n - 5, ".json") != 0)
    return 0;
  ga__strb_appendf(&path, "%s/%s", s->folder, e->name);
  if (path.err == GA_NO_ERROR &&
      ga__file_read(ga__strb_text(&path), &bytes, &size) == GA_NO_ERROR) {
    size = size < HEAD ? size : HEAD;
    memcpy(head, bytes, size);
    head[size] = '\0';
    look_at(s, head);
  }
  ga__free(bytes);
  ga__strb_clear(&path);
  return 0;
}

/* Only these parameters may be 0. CLBlast accepts 0 for others, but then its
 * kernels fail. */
static int is_switch(const char *name) {
  static const char *const switches[] = {
      "SA",        "SB",      "STRM",        "STRN",      "GEMMK",
      "PRECISION", "TRA_PAD", "TRA_SHUFFLE", "PADTRA_PAD"};

  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
    if (strcmp(name, switches[i]) == 0)
      return 1;
  }
  return 0;
}

/* Parse "NAME=1 OTHER=2" and call `fn`, unless something is wrong. Changes
 * `text`. PRECISION is not a parameter. */
static void hand_over(int kernel, int bits, char *text, ga__tuned_fn fn,
                      void *arg) {
  const char *names[GA_TUNED_MAX];
  size_t values[GA_TUNED_MAX], n = 0;

  for (char *s = text, *next; *s != '\0'; s = next) {
    char *is = strchr(s, '='), *end;

    if (is == NULL || n == GA_TUNED_MAX)
      return;
    *is = '\0';
    names[n] = s;
    values[n] = strtoul(is + 1, &end, 10);
    if (end == is + 1 || (*end != ' ' && *end != '\0') ||
        (values[n] == 0 && !is_switch(s)))
      return;
    n += strcmp(s, "PRECISION") != 0;
    next = end + strspn(end, " ");
  }
  if (n > 0)
    fn(kernels[kernel][1], bits, n, names, values, arg);
}

/* Append the folder of the user's files, or nothing if there is none. */
static void append_folder(ga__strb *b) {
  const char *own = getenv("GPUARRAY_TUNED"); /* "": look for no files */

  if (own != NULL) {
    ga__strb_append(b, own);
    return;
  }
  ga__env_folder(b, "XDG_CONFIG_HOME", ".config");
  ga__strb_append(b, b->n > 0 ? "/clblast" : "");
}

void ga__tuned_files(const char *device, ga__tuned_fn fn, void *arg) {
  ga__strb folder = GA_STRB_INIT;
  search *s = ga__calloc(1, sizeof *s);

  append_folder(&folder);
  if (s != NULL && folder.err == GA_NO_ERROR && folder.n > 0) {
    s->folder = ga__strb_text(&folder);
    s->device = device;
    (void)ga__dir_each(s->folder, look_at_file, s); /* the folder need not
                                                       exist */
    for (int k = 0; k < N_KERNELS; k++)
      for (int b = 0; b < N_BITS; b++)
        hand_over(k, 32 << b, s->best[k][b].text, fn, arg);
  }
  ga__free(s);
  ga__strb_clear(&folder);
}
