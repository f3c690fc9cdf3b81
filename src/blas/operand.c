/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of BLAS arguments: operands lie inside their buffers, and results do
 * not overlap them. */
#include "blas/direct.h"

#include "base/dtype.h"

int ga__blas_trans(const char *name, cb_transpose trans) {
  if (trans == cb_no_trans || trans == cb_trans || trans == cb_conj_trans)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR, "trans%s is %d, expected 0 to 2", name,
                  (int)trans);
}

/* a * b + c, or SIZE_MAX if that overflows. */
static size_t mul_add(size_t a, size_t b, size_t c) {
  if (b != 0 && a > (SIZE_MAX - c) / b)
    return SIZE_MAX;
  return a * b + c;
}

static size_t magnitude(ptrdiff_t v) {
  return v < 0 ? (size_t)0 - (size_t)v : (size_t)v;
}

/* Check that `n` elements from `off` on lie in the buffer. `n` is SIZE_MAX
 * after an overflow. */
static int check_extent(const char *name, const gpudata *buf, size_t off,
                        size_t n, size_t size) {
  const size_t have = ga__data_bytes(buf) / size;

  if (off <= have && n <= have - off)
    return GA_NO_ERROR;
  return ga__fail(GA_VALUE_ERROR,
                  "%s: %zu elements at offset %zu in a buffer of %zu", name, n,
                  off, have);
}

/* Check the first and the last matrix of a batch; the others lie between them.
 * `extent` is the elements that one matrix spans. */
static int check_batch(const ga__blas_operand *m, size_t size, size_t extent,
                       size_t batch) {
  const size_t reach = mul_add(batch - 1, magnitude(m->bs), 0);

  if (m->bs >= 0)
    return check_extent(m->name, m->buf, m->off,
                        reach <= SIZE_MAX - extent ? reach + extent : SIZE_MAX,
                        size);
  if (reach > m->off)
    return ga__fail(GA_VALUE_ERROR,
                    "%s: stride %td leads %zu elements before offset %zu",
                    m->name, m->bs, reach, m->off);
  return check_extent(m->name, m->buf, m->off, extent, size);
}

static int take_matrix(ga__product_operand *out, const ga__blas_operand *m,
                       size_t size, int by_rows, size_t rows, size_t cols,
                       size_t batch) {
  /* Lines of M are contiguous: they are rows or columns of op(M). */
  const size_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
  const size_t ld = (size_t)m->step;

  *out = (ga__product_operand){.buf = m->buf,
                               .off = m->off * size,
                               .rs = by_rows ? m->step : 1,
                               .cs = by_rows ? 1 : m->step,
                               .bs = m->bs};
  if (rows == 0 || cols == 0 || batch == 0) {
    out->off = 0; /* nothing is read */
    return GA_NO_ERROR;
  }
  if (ld < length)
    return ga__fail(GA_VALUE_ERROR, "ld%s %zu smaller than %zu", m->name, ld,
                    length);
  return check_batch(m, size, mul_add(lines - 1, ld, length), batch);
}

/* Describe and check a vector of n elements. */
static int take_vector(ga__product_operand *out, const ga__blas_operand *v,
                       size_t size, int is_row, size_t n) {
  *out = (ga__product_operand){
      .buf = v->buf, .rs = is_row ? 0 : v->step, .cs = is_row ? v->step : 0};
  if (v->step == 0)
    return ga__fail(GA_VALUE_ERROR, "inc%s is 0", v->name);
  if (n == 0)
    return GA_NO_ERROR;
  const size_t reach = mul_add(n - 1, magnitude(v->step), 0);
  GA_TRY(check_extent(v->name, v->buf, v->off,
                      reach < SIZE_MAX ? reach + 1 : SIZE_MAX, size));
  out->off = (v->step < 0 ? v->off + reach : v->off) * size;
  return GA_NO_ERROR;
}

int ga__blas_operand_of(ga__product_operand *out, const ga__blas_operand *o,
                        char form, int typecode, cb_order order,
                        cb_transpose trans, size_t rows, size_t cols,
                        size_t batch) {
  const size_t size = ga__dtype_size(typecode);

  if (o->buf == NULL)
    return ga__fail(GA_VALUE_ERROR, "%s: no buffer", o->name);
  if (form == 'm')
    return take_matrix(out, o, size,
                       (order == cb_row) == (trans == cb_no_trans), rows, cols,
                       batch);
  return take_vector(out, o, size, form == 'r', form == 'r' ? cols : rows);
}

/* --- overlaps of results and operands --- */

/* The elements of an operand: n lines of `length` elements, whose starts are
 * `ld` elements apart. */
typedef struct lines {
  ptrdiff_t first; /* elements from the buffer's start */
  ptrdiff_t n, length, ld;
} lines;

static lines lines_of(const ga__product_operand *o, size_t rows, size_t cols,
                      size_t size) {
  /* Read a row as a column: as one line if it is contiguous. */
  const int is_row = rows <= 1 && cols > 1;
  const int by_rows = is_row ? 0 : cols <= 1 || o->cs == 1;
  const ptrdiff_t stride = by_rows ? o->rs : o->cs;
  lines l = {.first = (ptrdiff_t)(o->off / size),
             .n = (ptrdiff_t)(by_rows ? rows : cols),
             .length = (ptrdiff_t)(by_rows ? cols : rows),
             .ld = stride < 0 ? -stride : stride};

  if (stride < 0)
    l.first += stride * (l.n - 1);
  if (l.n == 1 || l.ld == l.length) { /* no gaps: join the lines */
    l.length *= l.n;
    l.n = 1;
    l.ld = l.length;
  }
  return l;
}

/* Nonzero if a line of `l` has one of the elements [from, to). */
static int meets(const lines *l, ptrdiff_t from, ptrdiff_t to) {
  ptrdiff_t i = 0; /* the first line that ends after `from` */

  if (from >= l->first + l->length)
    i = (from - l->first - l->length) / l->ld + 1;
  return i < l->n && l->first + i * l->ld < to;
}

/* For operands of equal `ld`: nonzero if line 0 of `b`, or a later one,
 * overlaps the line of `a` that is `q` lines further. */
static int meet_at(const lines *a, const lines *b, ptrdiff_t q) {
  const ptrdiff_t shift = b->first - a->first - q * a->ld;

  return q < a->n && -q < b->n && shift < a->length && -shift < b->length;
}

static int overlap(const lines *a, const lines *b) {
  const ptrdiff_t q = a->ld > 0 ? (b->first - a->first) / a->ld : 0;

  if (a->n <= 0 || b->n <= 0 || a->length <= 0 || b->length <= 0)
    return 0;
  if (a->n == 1)
    return meets(b, a->first, a->first + a->length);
  if (b->n == 1)
    return meets(a, b->first, b->first + b->length);
  return a->ld == b->ld &&
         (meet_at(a, b, q - 1) || meet_at(a, b, q) || meet_at(a, b, q + 1));
}

static int check_apart(const lines *c, const ga__product *p,
                       const ga__product_operand *o, size_t rows, size_t cols,
                       const char *c_name, const char *name) {
  if (p->c.buf != o->buf || rows == 0 || cols == 0)
    return GA_NO_ERROR;
  const lines l = lines_of(o, rows, cols, ga__dtype_size(p->typecode));
  return overlap(c, &l)
             ? ga__fail(GA_VALUE_ERROR, "%s overlaps %s", c_name, name)
             : GA_NO_ERROR;
}

int ga__blas_apart(const ga__product *p, const char *const names[3]) {
  if (p->routine == GA_ROUTINE_DOT || p->m == 0 || p->n == 0)
    return GA_NO_ERROR;
  const lines c = lines_of(&p->c, p->m, p->n, ga__dtype_size(p->typecode));
  GA_TRY(check_apart(&c, p, &p->a, p->m, p->k, names[2], names[0]));
  return check_apart(&c, p, &p->b, p->k, p->n, names[2], names[1]);
}
