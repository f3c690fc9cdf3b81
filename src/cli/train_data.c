/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/train_data.h"

#include <gpugraph/ops.h>
#include <string.h>

#include "base/arith.h"
#include "base/dtype.h"
#include "base/err.h"
#include "base/file.h"

/* --- tables --- */

/* A column by its name, or by its number, counted from 1. */
static int find_column(size_t *out, const gg_data *table, const char *name,
                       const char *path) {
  const size_t columns = gg_data_array(table)->dims[1];
  const int at = gg_data_column(table, name);
  uint64_t n;

  *out = at >= 0 ? (size_t)at : 0;
  if (at >= 0)
    return GA_NO_ERROR;
  if (cli_number(name, &n) != GA_NO_ERROR || n < 1 || n > columns)
    return ga__fail(GA_VALUE_ERROR, "%s has %zu columns, but no \"%s\"", path,
                    columns, name);
  *out = (size_t)n - 1;
  return GA_NO_ERROR;
}

/* "A" is one column, "A..B" are those from A to B, nothing is all: the first,
 * and how many, of which 0 stands for one without an axis of its own. */
static int find_columns(size_t *first, size_t *n, const gg_data *table,
                        const train_datum *d) {
  const char *dots = d->part == NULL ? NULL : strstr(d->part, "..");
  char name[256];
  size_t last;

  *first = 0;
  *n = gg_data_array(table)->dims[1];
  if (d->part == NULL)
    return GA_NO_ERROR;
  *n = 0;
  if (dots == NULL)
    return find_column(first, table, d->part, d->path);
  snprintf(name, sizeof name, "%.*s", (int)(dots - d->part), d->part);
  GA_TRY(find_column(first, table, name, d->path));
  GA_TRY(find_column(&last, table, dots + 2, d->path));
  if (last < *first)
    return ga__fail(GA_VALUE_ERROR, "%s: the columns %s are none", d->path,
                    d->part);
  *n = last - *first + 1;
  return GA_NO_ERROR;
}

/* A first line that does not consist of numbers has the names of columns. */
static int open_table(gg_data **out, const train_datum *d, int dtype,
                      int are_labels) {
  const size_t length = strlen(d->path);
  gg_csv_spec spec = {.dtype = GA_DOUBLE};
  gg_data *table;
  size_t first, n;

  if (length > 4 && strcmp(d->path + length - 4, ".tsv") == 0)
    spec.separator = '\t';
  int err = gg_data_csv(&table, d->path, &spec);
  if (err == GA_VALUE_ERROR) {
    spec.header = 1;
    err = gg_data_csv(&table, d->path, &spec);
  }
  if (err == GA_NO_ERROR)
    err = find_columns(&first, &n, table, d);
  if (err == GA_NO_ERROR)
    err = gg_data_columns(out, table, first, n,
                          are_labels && n == 0 ? GA_INT : dtype);
  gg_data_free(table);
  return err;
}

/* --- files --- */

static int open_whole(gg_data **out, const train_datum *d,
                      int (*open)(gg_data **out, const char *path)) {
  return d->part == NULL
             ? open(out, d->path)
             : ga__fail(GA_VALUE_ERROR,
                        "%s has one array, but \"%s\" of it is wanted", d->path,
                        d->part);
}

int train_data_open(gg_data **out, const train_datum *d, int dtype,
                    int are_labels) {
  unsigned char head[4] = "____";
  const unsigned char *p;
  size_t n;

  *out = NULL;
  GA_TRY(ga__file_map(d->path, &p, &n));
  memcpy(head, n == 0 ? head : p, n < sizeof head ? n : sizeof head);
  ga__file_unmap(p, n);
  if (memcmp(head, "\x93NUM", 4) == 0)
    return open_whole(out, d, gg_data_npy);
  if (memcmp(head, "PK", 2) == 0)
    return gg_data_npz(out, d->path, d->part != NULL ? d->part : d->name);
  if (memcmp(head, "\0\0", 2) == 0 || memcmp(head, "\x1f\x8b", 2) == 0)
    return open_whole(out, d, gg_data_idx);
  return open_table(out, d, dtype, are_labels);
}

/* --- rows that fit --- */

static int has_sizes(const gg_type *t, const gg_host_array *a) {
  int same = t->nd == a->nd;

  for (unsigned int i = 1; same && i < t->nd; i++)
    same = t->dims[i] < 0 || (size_t)t->dims[i] == a->dims[i];
  return same;
}

static int fail_rows(const gg_var *in, const gg_host_array *a,
                     const train_datum *d) {
  gg_type has = {.dtype = a->dtype, .nd = a->nd};
  char want[128], got[128];

  for (unsigned int i = 0; i < a->nd && i < GG_MAX_ND; i++)
    has.dims[i] = (int64_t)a->dims[i];
  return ga__fail(GA_VALUE_ERROR,
                  "%s is %s, whose rows are no rows of input \"%s\", %s",
                  d->path, gg_type_text(&has, got, sizeof got), gg_var_name(in),
                  gg_type_text(gg_var_type(in), want, sizeof want));
}

/* The sizes of the input with those of a row; one that is open follows. */
static int row_sizes(int64_t *dims, const gg_var *in, const gg_host_array *a,
                     const train_datum *d) {
  const gg_type *t = gg_var_type(in);
  size_t have = 1, want = 1;
  unsigned int open = 0;

  for (unsigned int i = 1; i < a->nd; i++)
    have = ga__times(have, a->dims[i]);
  for (unsigned int i = 1; i < t->nd; i++) {
    dims[i] = t->dims[i];
    want = ga__times(want, dims[i] < 0 ? 1 : (size_t)dims[i]);
    if (dims[i] < 0)
      open = open == 0 ? i : GG_MAX_ND;
  }
  if (open == GG_MAX_ND || want == 0 || have % want != 0 ||
      (open == 0 && have != want))
    return fail_rows(in, a, d);
  if (open != 0)
    dims[open] = (int64_t)(have / want);
  dims[0] = t->dims[0] < 0 ? -1 : t->dims[0];
  return GA_NO_ERROR;
}

int train_data_fit(gg_var *in, const gg_host_array *a, const train_datum *d,
                   gg_var **raw, gg_var **by) {
  const gg_type *t = gg_var_type(in);
  gg_graph *g = gg_var_graph(in);
  int64_t dims[GG_MAX_ND], row[GG_MAX_ND];
  const int fits = has_sizes(t, a);

  *raw = in;
  *by = NULL;
  if (fits && d->divisor == 0)
    return GA_NO_ERROR;
  if (!fits)
    GA_TRY(row_sizes(row, in, a, d));
  if (d->divisor != 0 && ga__dtype_kind(t->dtype) != GA_KIND_FLOAT)
    return ga__fail(GA_VALUE_ERROR,
                    "input \"%s\" is %s: --divide is for floats",
                    gg_var_name(in), ga__dtype_name(t->dtype));
  for (unsigned int i = 0; i < a->nd; i++)
    dims[i] = i == 0 ? t->dims[0] : (int64_t)a->dims[i];
  *raw = gg_input_sized(g, NULL, a->dtype, a->nd, dims);
  *by = gg_cast(*raw, t->dtype);
  if (!fits)
    *by = gg_reshape(*by, t->nd, row);
  if (d->divisor != 0)
    *by = gg_div(*by, gg_scalar(g, t->dtype, d->divisor));
  return gg_graph_status(g);
}
