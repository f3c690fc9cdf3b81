/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of numbers. Memory grows with what has been read; each element takes a
 * byte of the file at least. */
#include "nn/data/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { MOST = 128, SHOWN = 24 }; /* bytes of a number, and in messages */

typedef struct reader {
  const char *path, *at, *end;
  size_t line, columns, rows; /* the line at hand, from 1 */
  char separator;
  int dtype, takes_missing, skips;
  char *elements; /* of whole rows, and of the one at hand */
  size_t cap;     /* in elements */
} reader;

/* A piece of the file. */
typedef struct piece {
  const char *s;
  size_t n;
} piece;

/* --- lines and fields --- */

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static piece trimmed(piece p) {
  while (p.n > 0 && is_blank(p.s[0])) {
    p.s++;
    p.n--;
  }
  while (p.n > 0 && is_blank(p.s[p.n - 1]))
    p.n--;
  return p;
}

/* The next line that is not empty; 0 at the end. */
static int next_line(reader *r, piece *line) {
  while (r->at < r->end) {
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    line->s = r->at;
    line->n = (size_t)((stop != NULL ? stop : r->end) - r->at);
    r->at = stop != NULL ? stop + 1 : r->end;
    r->line++;
    if (line->n > 0 && line->s[line->n - 1] == '\r')
      line->n--;
    if (trimmed(*line).n > 0)
      return 1;
  }
  return 0;
}

/* Bytes of what is in double quotes at the beginning; two in a row are one that
 * belongs to the text. */
static size_t quoted_bytes(piece p) {
  size_t i = 1;

  if (p.n == 0 || p.s[0] != '"')
    return 0;
  for (; i < p.n; i++)
    if (p.s[i] == '"') {
      if (i + 1 == p.n || p.s[i + 1] != '"')
        return i + 1;
      i++;
    }
  return 0; /* it does not end */
}

/* Take a field off the line, without quotes around it; *left says whether
 * another one follows. */
static piece next_field(const reader *r, piece *line, int *left) {
  piece all = *line;
  const size_t quoted = quoted_bytes(all);
  const char *stop = all.n > quoted
                         ? memchr(all.s + quoted, r->separator, all.n - quoted)
                         : NULL;

  *left = stop != NULL;
  if (stop != NULL) {
    all.n = (size_t)(stop - all.s);
    line->n -= all.n + 1;
    line->s = stop + 1;
  }
  all = trimmed(all);
  if (all.n >= 2 && quoted_bytes(all) == all.n)
    all = trimmed((piece){all.s + 1, all.n - 2});
  return all;
}

static size_t count_fields(const reader *r, piece line) {
  size_t n = 0;

  for (int left = 1; left; n++)
    next_field(r, &line, &left);
  return n;
}

/* --- numbers --- */

static int is_word(piece p, const char *word) {
  return p.n == strlen(word) && memcmp(p.s, word, p.n) == 0;
}

static int is_missing(piece p) {
  return p.n == 0 || is_word(p, "NA") || is_word(p, "nan") || is_word(p, "NaN");
}

/* strtod accepts more than decimal numbers. */
static int is_number(piece p) {
  const size_t sign = p.n > 0 && (p.s[0] == '-' || p.s[0] == '+');

  for (size_t i = sign; i < p.n; i++)
    if (p.s[i] == '\0' || strchr("0123456789.eE+-", p.s[i]) == NULL)
      return 0;
  return p.n > sign && strchr("0123456789.", p.s[sign]) != NULL;
}

static int read_number(const reader *r, piece p, double *out) {
  char local[MOST], *end;

  if (is_word(p, "inf") || is_word(p, "-inf")) {
    *out = p.s[0] == '-' ? -INFINITY : INFINITY;
    return 1;
  }
  if (!is_number(p) || !ga__number_local(p.s, p.n, local, sizeof local))
    return 0;
  *out = r->dtype == GA_FLOAT ? strtof(local, &end) : strtod(local, &end);
  return *end == '\0' && isfinite(*out);
}

/* Where the line at hand has its elements. */
static char *element(const reader *r, size_t column) {
  return r->elements +
         (r->rows * r->columns + column) * ga__dtype_size(r->dtype);
}

static int read_field(reader *r, piece p, size_t column) {
  double v = NAN;

  if (is_missing(p)) {
    if (!r->takes_missing)
      return ga__fail(GA_VALUE_ERROR, "%s:%zu: column %zu has no value",
                      r->path, r->line, column + 1);
  } else if (!read_number(r, p, &v)) {
    return ga__fail(GA_VALUE_ERROR, "%s:%zu: column %zu: \"%.*s\" is no number",
                    r->path, r->line, column + 1, (int)ga__at_most(p.n, SHOWN),
                    p.s);
  }
  ga__dtype_from_double(r->dtype, element(r, column), v);
  return GA_NO_ERROR;
}

/* --- rows --- */

/* Room for one more row. */
static int grow(reader *r) {
  const size_t need = r->rows * r->columns + r->columns;

  if (need <= r->cap)
    return GA_NO_ERROR;
  const size_t cap = ga__at_least(need, 2 * r->cap);
  char *more = ga__realloc_array(r->elements, cap, ga__dtype_size(r->dtype));
  if (more == NULL)
    return ga__fail_nomem();
  r->elements = more;
  r->cap = cap;
  return GA_NO_ERROR;
}

static int read_row(reader *r, piece line) {
  size_t column = 0;

  GA_TRY(grow(r));
  for (int left = 1; left; column++) {
    const piece field = next_field(r, &line, &left);
    if (column < r->columns)
      GA_TRY(read_field(r, field, column));
  }
  return column == r->columns
             ? GA_NO_ERROR
             : ga__fail(GA_VALUE_ERROR, "%s:%zu: %zu columns, expected %zu",
                        r->path, r->line, column, r->columns);
}

static int read_rows(reader *r, gg_data *d) {
  piece line;

  while (next_line(r, &line)) {
    if (r->columns == 0)
      r->columns = count_fields(r, line);
    const int err = read_row(r, line);
    if (err == GA_VALUE_ERROR && r->skips)
      GA_TRY(gg__data_skip(d, err));
    else if (err != GA_NO_ERROR)
      return err;
    else
      r->rows++;
  }
  return r->rows > 0 ? GA_NO_ERROR
                     : ga__fail(GA_VALUE_ERROR, "%s has no rows%s%s", r->path,
                                d->why != NULL ? ": " : "",
                                d->why != NULL ? d->why : "");
}

/* Two double quotes are one. */
static void copy_name(char *to, piece from) {
  for (size_t i = 0; i < from.n; i++) {
    *to++ = from.s[i];
    i += from.s[i] == '"' && i + 1 < from.n && from.s[i + 1] == '"';
  }
  *to = '\0';
}

static int read_names(reader *r, gg_data *d) {
  piece line = {NULL, 0};

  if (!next_line(r, &line))
    return GA_NO_ERROR;
  r->columns = count_fields(r, line);
  d->names = ga__calloc(r->columns, sizeof *d->names);
  if (d->names == NULL)
    return ga__fail_nomem();
  for (int left = 1; left; d->n_names++) {
    const piece field = next_field(r, &line, &left);
    char *name = ga__malloc(field.n + 1);
    if (name == NULL)
      return ga__fail_nomem();
    copy_name(name, field);
    d->names[d->n_names] = name;
  }
  return GA_NO_ERROR;
}

/* --- the whole --- */

static int check(const gg_csv_spec *s) {
  if (s->dtype != 0 && s->dtype != GA_FLOAT && s->dtype != GA_DOUBLE)
    return ga__fail(GA_INVALID_ERROR, "dtype %s, expected float32 or float64",
                    ga__dtype_name(s->dtype));
  if (s->separator != 0 &&
      strchr("0123456789.+-eE\"\r\n", s->separator) != NULL)
    return ga__fail(GA_INVALID_ERROR,
                    "the separator 0x%02x is part of numbers or lines",
                    (unsigned char)s->separator);
  return GA_NO_ERROR;
}

/* Give the rows to d. */
static void take(reader *r, gg_data *d) {
  const size_t bytes = r->rows * r->columns * ga__dtype_size(r->dtype);

  d->array = (gg_host_array){.dtype = r->dtype,
                             .nd = 2,
                             .dims = {r->rows, r->columns},
                             .data = r->elements,
                             .bytes = bytes};
  d->memory = r->elements;
  r->elements = NULL;
}

static int read_all(reader *r, gg_data *d, int has_header) {
  int err = GA_NO_ERROR;

  if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
    r->at += 3; /* UTF-8's mark */
  if (has_header)
    GA_CHECK(read_names(r, d));
  GA_CHECK(read_rows(r, d));
  take(r, d);
done:
  ga__free(r->elements);
  return err;
}

int gg_data_csv(gg_data **out, const char *path, const gg_csv_spec *spec) {
  const gg_csv_spec s = spec != NULL ? *spec : (gg_csv_spec){0};
  const unsigned char *p;
  gg_data *d;
  size_t n;

  GA_TRY(gg__data_check(out, path));
  GA_TRY(check(&s));
  GA_TRY(gg__data_new(&d));
  int err = ga__file_map(path, &p, &n);
  if (err == GA_NO_ERROR) {
    const char *text = p != NULL ? (const char *)p : "";
    reader r = {.path = path,
                .at = text,
                .end = text + n,
                .separator = s.separator != 0 ? s.separator : ',',
                .dtype = s.dtype != 0 ? s.dtype : GA_FLOAT,
                .takes_missing = s.missing,
                .skips = s.skip_bad};
    err = read_all(&r, d, s.header);
    ga__file_unmap(p, n);
  }
  return gg__data_done(out, d, err);
}
