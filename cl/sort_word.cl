/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of rows and what orders them, for the templates that sort, select
 * and search. Elements move as they are; what is compared is worked out from
 * them each time, so that -0 stays -0. Macros, here for floats:
 *
 *   #define R_IDX uint         index type, large enough for all counts
 *   #define S_WORD uint        the bits of an element
 *   #define S_TOP 0x80000000   its highest bit
 *   #define S_INFINITE 0x7f800000  for floats: the bits of infinity
 *   #define S_SIGNED 0         1: a signed integer
 *   #define S_DIGIT_BITS 8
 *   #define S_INDICES 1        1: positions move along (sort.cl)
 *   #define S_MOST 32          elements of a short row
 *   #define S_FLAT 0           1: elements of rows lie one after another, also
 *                              in results
 *   #define S_GROUP 1          work-items of a group
 *   #define S_SIZES            ulong s_n0, ...
 *   #define S_OPERAND(x)       global char *x##_p, ulong x##_o, long x##_k0,
 *                              ..., long x##_a
 *   #define S_BASE(x, o)       declares x, where row o of operand x begins
 */
#define S_DIGITS (1 << S_DIGIT_BITS)

/* How elements are ordered: bits of an argument. */
#define S_DESCENDING 1
#define S_NAN_FIRST 2
#define S_HOW(how)                                                             \
  const S_WORD flip = (S_WORD)((how) & S_DESCENDING ? ~(S_WORD)0 : 0);         \
  const S_WORD nan = (S_WORD)((how) & S_NAN_FIRST ? 0 : ~(S_WORD)0);

/* What is stored: bits of another one. */
#define S_STORE_VALUES 1
#define S_STORE_POSITIONS 2

/* What orders elements as an unsigned number: `flip` is xored in, `nan` stands
 * for NaN. */
static S_WORD s_order(S_WORD w, S_WORD flip, S_WORD nan) {
#ifdef S_INFINITE
  const S_WORD size = w & (S_WORD)~S_TOP;

  w = size == 0 ? (S_WORD)S_TOP
                : (S_WORD)((w & (S_WORD)S_TOP) ? ~w : w | (S_WORD)S_TOP);
  return size > (S_WORD)S_INFINITE ? nan : (S_WORD)(w ^ flip);
#else
#if S_SIGNED
  w ^= (S_WORD)S_TOP;
#endif
  return (S_WORD)(w ^ flip);
#endif
}

#define S_AT(x, j) (x + (long)(j) * x##_a)
#if S_FLAT
#define S_FETCH(type, x, j) (((global const type *)x)[j])
#define S_STORE(type, x, j, v) ((global type *)x)[j] = (v)
#else
#define S_FETCH(type, x, j) (*(global const type *)S_AT(x, j))
#define S_STORE(type, x, j, v) *(global type *)S_AT(x, j) = (v)
#endif
#define S_LOAD(x, j) S_FETCH(S_WORD, x, j)

/* The digit of an element. */
#define S_DIGIT(w) ((uint)(s_order(w, flip, nan) >> shift) & (S_DIGITS - 1))

/* Blocks of elements whose digits are worked out ahead, by vectors. */
#define S_BLOCK 64
#define S_DIGITS_AHEAD(digit)                                                  \
  uint digit[S_BLOCK];                                                         \
  for (uint i = 0; i < S_BLOCK; ++i)                                           \
    digit[i] = S_DIGIT(S_LOAD(src, j + i));

/* The part of a work-item, or of a group, of that number. */
#define S_PART S_PART_OF(get_global_id(0))
#define S_PART_OF(number)                                                      \
  const R_IDX id = (R_IDX)(number), parts = (R_IDX)parts_;                     \
  const R_IDX n = (R_IDX)n_, row = id / parts, part = id % parts;              \
  const R_IDX from = min(n, part * (R_IDX)chunk_);                             \
  const R_IDX to = from + min(n - from, (R_IDX)chunk_);
