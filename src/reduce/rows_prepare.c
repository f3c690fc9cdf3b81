/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the launches of a row program for one geometry. */
#include "array/operands.h"
#include "base/alloc.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "codegen/gen_combine.h"
#include "codegen/gen_rows.h"
#include "codegen/template.h"
#include "ocl/ocl.h"
#include "reduce/row_job.h"
#include "reduce/rows_parts.h"

/* A preparation. Operands are the arguments, then the row arguments. */
typedef struct job {
  const GpuRows *r;
  ga__row_job row;
  unsigned int *works;  /* per reduction: its workspace */
  unsigned char *fixed; /* per argument: all strides along the row are 0 */
  unsigned char *streams;
  ga__room lists; /* the three above */
  ga__rows_layout layout;
  /* Of a loop; else NULL and 0. */
  const GpuRowsMove *moves;
  unsigned int n_states, words; /* the workspace of the states */
  size_t n_times;
} job;

static unsigned int phase_of(const job *j, unsigned int reduction) {
  return ga__rows_map_phase(&j->r->spec, j->r->spec.reduce[reduction].name);
}

/* GA_VALUE_ERROR for overlaps. An array that the last phase writes may be the
 * same array as one that is read. */
static int check_apart(const job *j) {
  const gpuelemwise_arg *args = j->r->args.list;
  const ga__row_job *row = &j->row;

  for (unsigned int k = 0; k < row->args->n; k++) {
    const int is_last = j->r->uses[k].is_last;

    for (unsigned int i = 0; ga__arg_is_written(&args[k]) && i < row->args->n;
         i++) {
      if (i != k && !ga__arg_is_scalar(&args[i]) &&
          (!is_last || (i < row->args->n_whole) != (k < row->args->n_whole)))
        GA_TRY(ga__operand_check_apart(args[k].name, row->values[k],
                                       args[i].name, row->values[i]));
    }
  }
  return ga__operands_check_apart(row->args->n, args, row->values);
}

/* --- the layout --- */

static size_t work_bytes(int typecode) {
  return ga__dtype_kind(typecode) == GA_KIND_BOOL
             ? sizeof(int32_t)
             : ga__dtype_size(ga__dtype_work(typecode));
}

static void add_needs(ga__rows_needs *n, int typecode, int is_kept,
                      int is_held) {
  const size_t bytes = work_bytes(typecode);

  if (bytes > n->widest)
    n->widest = bytes;
  n->kept_bytes += is_kept ? bytes : 0;
  n->held_bytes += is_held ? bytes : 0;
}

/* Whether rows have one phase, and then a post that lanes can compute for
 * several rows. */
static int may_unite(const GpuRowsSpec *s) {
  if (s->n_phases > 1 || s->phases[0].post == NULL)
    return 0;
  for (unsigned int i = 0; i < s->n_reduce; i++)
    if (ga__dtype_kind(s->reduce[i].acc) == GA_KIND_BOOL)
      return 0;
  return 1;
}

static void find_needs(const job *j, ga__rows_needs *n) {
  const GpuRowsSpec *s = &j->r->spec;

  *n = (ga__rows_needs){.is_loop = j->moves != NULL,
                        .lanes_ok = j->r->all.is_vector,
                        .widest = j->r->all.is_vector ? j->r->all.widest : 1,
                        .may_unite = may_unite(s)};
  for (unsigned int i = 0; i < s->n_args; i++)
    add_needs(n, s->args[i].typecode, 0, !j->fixed[i] && j->r->uses[i].is_held);
  for (unsigned int i = 0; i < s->n_kept; i++)
    add_needs(n, s->kept[i].typecode, 1, 1);
  for (unsigned int i = 0; i < s->n_reduce; i++)
    add_needs(n, s->reduce[i].acc, 0, 0);
}

/* Choose the results whose stores bypass the caches. */
static void choose_streams(job *j) {
  const ga__row_job *row = &j->row;
  const unsigned int lanes = j->layout.shape.lanes;

  for (unsigned int k = 0; k < row->args->n_whole; k++)
    j->streams[k] = gpucontext_caps(j->r->args.ctx)->is_cpu &&
                    ga__arg_is_written(&row->args->list[k]) &&
                    ga__space_is_streamed(&row->space, k, row->steps[k], lanes);
}

static int choose_layout(job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->r->args.ctx);
  ga__row_job *row = &j->row;
  const ga__space *s = &row->space;
  ga__rows_needs needs;

  for (unsigned int k = 0; k < row->args->n_whole; k++)
    j->fixed[k] = (unsigned char)ga__iter_is_fixed(&s->red, k);
  find_needs(j, &needs);
  ga__rows_layout_make(&j->layout, s, caps, &needs);
  ga__row_job_choose_steps(row, j->layout.shape.along ? &s->red : &s->kept,
                           j->layout.shape.lanes, !caps->is_cpu);
  choose_streams(j);
  return ga__row_job_check_params(
      row, row->args->n,
      s->kept.nd + s->red.nd + (j->moves != NULL ? row->args->n + 3 : 0) +
          (j->layout.cut.parts > 1 ? j->r->spec.n_reduce : 0) + 5);
}

/* --- loops --- */

static int is_read(const job *j, unsigned int k) {
  return (j->row.args->list[k].flags & (GE_WRITE | GE_SCALAR)) == 0;
}

/* Whether operand k reads or writes a state, which is one word per row. */
static int has_state(const job *j, unsigned int k, unsigned int state) {
  return !ga__arg_is_scalar(&j->row.args->list[k]) &&
         j->moves[k].state == (int)state;
}

/* Whether each row reads all of a state through argument k. */
static int reads_all(const job *j, unsigned int k) {
  const ptrdiff_t word = sizeof(uint32_t);
  const ga__space *s = &j->row.space;

  return s->n_red == s->n_out && ga__iter_is_fixed(&s->kept, k) &&
         s->red.nd == 1 &&
         (s->red.strides[k][0] == word || s->red.strides[k][0] == -word);
}

/* Whether row i writes word i through operand k, in the last phase: when a row
 * has told a state, it reads no more. */
static int writes_words(const job *j, unsigned int k) {
  const ga__space *s = &j->row.space;

  return k >= j->row.args->n_whole && j->r->uses[k].is_last &&
         s->kept.nd == 1 && s->kept.first[k] == 0 && s->red.first[k] == 0 &&
         s->kept.strides[k][0] == (ptrdiff_t)sizeof(uint32_t);
}

/* Whether words hold the state, and one row argument writes it. */
static int suits_state(const job *j, unsigned int state, int *is_read_by_all) {
  const ga__row_args *args = j->row.args;
  unsigned int n_writers = 0, n_readers = 0;

  for (unsigned int k = 0; k < args->n; k++) {
    const ga__kind kind = ga__dtype_kind(args->list[k].typecode);

    if (!has_state(j, k, state))
      continue;
    if (j->row.elsize[k] != sizeof(uint32_t) || kind == GA_KIND_COMPLEX)
      return 0;
    if (!is_read(j, k)) {
      if (!writes_words(j, k))
        return 0;
      n_writers++;
      continue;
    }
    n_readers++;
    if (k < args->n_whole && ga__iter_is_fixed(&j->row.space.red, k))
      return 0;
    *is_read_by_all |= k < args->n_whole && reads_all(j, k);
  }
  return n_writers == 1 && n_readers > 0;
}

/* Whether groups of one kernel can run the loop. */
static int suits_loop(const job *j) {
  const gpudevice_caps *caps = gpucontext_caps(j->r->args.ctx);
  const GpuRowsSpec *s = &j->r->spec;
  const ga__space *space = &j->row.space;
  unsigned char reduces[GPUROWS_MAX_PHASES] = {0};
  int is_read_by_all = 0;

  if (!caps->chains || !caps->int64_atomics || !caps->long_loops ||
      ga__space_is_wide(space) || j->n_times > UINT32_MAX / 2)
    return 0;
  for (unsigned int k = 0; k < s->n_args; k++)
    if (s->args[k].flags & GE_WRITE)
      return 0;
  for (unsigned int i = 0; i < s->n_reduce; i++)
    reduces[phase_of(j, i)] = 1;
  for (unsigned int p = 0; p < s->n_phases; p++)
    if (!reduces[p])
      return 0;
  for (unsigned int i = 0; i < j->n_states; i++)
    if (!suits_state(j, i, &is_read_by_all))
      return 0;
  return is_read_by_all;
}

/* Whether the layout lets the groups of the loop run at the same time. */
static int suits_layout(const job *j) {
  return (gpucontext_caps(j->r->args.ctx)->is_cpu ||
          j->layout.shape.team > 1) &&
         j->layout.cut.parts == 1;
}

/* --- the launches --- */

/* Add the workspaces with results of parts: those of earlier phases, and new
 * ones for phase `now`. */
static void add_works(GpuLaunch *l, job *j, unsigned int now) {
  const GpuRowsSpec *s = &j->r->spec;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    const unsigned int phase = phase_of(j, i);

    if (phase < now)
      ga__launch_work_arg(l, j->works[i]);
    else if (phase == now)
      j->works[i] = ga__launch_work(
          l, j->layout.cut.parts * j->row.space.n_out *
                 ga__dtype_size(ga__reduce_acc_dtype(s->reduce[i].acc)));
  }
}

static void key_of(ga__launch_key *key, const job *j, unsigned int now) {
  const size_t n = j->r->spec.n_args;

  ga__row_job_key(key, &j->row, "rows");
  ga__launch_key_bytes(key, &j->layout.shape, sizeof j->layout.shape);
  ga__launch_key_bytes(key, j->fixed, n);
  ga__launch_key_bytes(key, j->streams, n);
  ga__launch_key_number(key, j->layout.cut.parts > 1);
  ga__launch_key_number(key, now);
  for (unsigned int k = 0; j->moves != NULL && k < j->row.args->n; k++) {
    ga__launch_key_number(key, (size_t)j->moves[k].state + 1);
    ga__launch_key_number(key, (size_t)j->moves[k].once);
  }
}

static void write_kernel(GpuLaunch *l, const job *j, unsigned int now,
                         const ga__launch_key *key, const size_t *gs) {
  const ga__space *s = &j->row.space;
  const ga__gen_rows g = {.spec = &j->r->spec,
                          .boolean = j->r->all.boolean,
                          .shape = j->layout.shape,
                          .nk = s->kept.nd,
                          .nr = s->red.nd,
                          .steps = j->row.steps,
                          .fixed = j->fixed,
                          .streams = j->streams,
                          .wide_index = ga__space_is_wide(s),
                          .split = j->layout.cut.parts > 1,
                          .now = now,
                          .moves = j->moves,
                          .n_states = j->n_states};
  ga__rows_text t;
  const int err = ga__gen_rows_write(&t, &g);

  if (err != GA_NO_ERROR) {
    ga__launch_error(l, err);
  } else {
    const ga__source src = {.n = t.n, .parts = t.parts, .entry = "rows"};
    ga__launch_kernel(l, &src, 2, gs, j->layout.ls);
    ga__launch_remember(l, key);
  }
  ga__rows_text_clear(&t);
}

static void add_kernel(GpuLaunch *l, const job *j, unsigned int now,
                       size_t parts) {
  const size_t gs[2] = {j->layout.gs[0], parts};
  ga__launch_key key;

  key_of(&key, j, now);
  if (!ga__launch_again(l, &key, 2, gs, j->layout.ls))
    write_kernel(l, j, now, &key, gs);
}

/* Add an operand. In a loop, an array that reads a state has a place among the
 * words instead of a buffer, and all others have a step. */
static void add_operand(GpuLaunch *l, const job *j, unsigned int k) {
  const GpuRowsMove *m = j->moves != NULL ? &j->moves[k] : NULL;

  if (m == NULL || ga__row_job_array(&j->row, k) == NULL) {
    ga__row_job_add(l, &j->row, k);
  } else if (is_read(j, k) && m->state >= 0) {
    ga__row_job_add_place(l, &j->row, k, m->at);
  } else {
    ga__row_job_add(l, &j->row, k);
    ga__launch_ssize(l, m->step);
  }
}

/* The first operand that reads the state. */
static unsigned int operand_of(const job *j, unsigned int state) {
  unsigned int k = 0;

  while (!has_state(j, k, state) || !is_read(j, k))
    k++;
  return k;
}

/* Add the kernel that makes words of the states. */
static void add_begin(GpuLaunch *l, job *j) {
  const size_t n = j->row.space.n_out;
  const size_t ls = ga__group_size(gpucontext_caps(j->r->args.ctx), 256);
  const size_t gs = ga__round_up(n, ls);
  ga__strb head = GA_STRB_INIT;
  ga__launch_key key;

  ga__launch_key_start(&key, j->r->args.ctx, "rows_begin");
  ga__launch_key_number(&key, j->n_states);
  if (!ga__launch_again(l, &key, 1, &gs, &ls)) {
    ga__gen_rows_begin(&head, j->n_states);
    const char *const parts[] = {ga__strb_text(&head),
                                 ga__template("rows_begin")};
    ga__launch_error(l, head.err);
    ga__launch_kernel(
        l, &(ga__source){.n = 2, .parts = parts, .entry = "rows_begin"}, 1, &gs,
        &ls);
    ga__launch_remember(l, &key);
    ga__strb_clear(&head);
  }
  for (unsigned int i = 0; i < j->n_states; i++) {
    const unsigned int k = operand_of(j, i);

    ga__launch_slot(l, k);
    ga__launch_offset(l, k, (size_t)0 - j->moves[k].at);
  }
  ga__launch_size(l, n);
  j->words =
      ga__launch_work(l, ga__times(2 * sizeof(uint64_t) * j->n_states, n));
}

static void add_launch(GpuLaunch *l, job *j, unsigned int now, size_t parts) {
  const ga__space *s = &j->row.space;

  ga__launch_rounds(
      l, ga__rows_layout_rounds(
             &j->layout, j->layout.cut.parts > 1 ? 1 : j->r->spec.n_phases));
  add_kernel(l, j, now, parts);
  for (unsigned int k = 0; k < j->r->args.n; k++)
    add_operand(l, j, k);
  ga__row_job_add_sizes(l, &s->kept);
  ga__row_job_add_sizes(l, &s->red);
  if (j->layout.cut.parts > 1)
    add_works(l, j, now);
  if (j->moves != NULL)
    ga__launch_work_arg(l, j->words);
  if (j->moves != NULL && j->layout.shape.team == 1)
    ga__launch_work(
        l,
        ga__times(j->layout.gs[0] * j->n_states * sizeof(uint32_t), s->n_out));
  ga__launch_size(l, s->n_out);
  ga__launch_size(l, s->n_red);
  ga__launch_size(l, j->layout.per_item);
  ga__launch_size(l, j->layout.cut.chunk);
  ga__launch_size(l, j->layout.cut.parts);
  if (j->moves != NULL)
    ga__launch_size(l, j->n_times);
}

/* Whether anything is left to do when all parts of the last phase are done. */
static int has_end(const job *j) {
  const GpuRowsSpec *s = &j->r->spec;

  for (unsigned int i = 0; i < s->n_reduce; i++) {
    if (phase_of(j, i) + 1 == s->n_phases)
      return 1;
  }
  return s->phases[s->n_phases - 1].post != NULL;
}

/* Add one launch, or one per phase and one for the post of the last. */
static void add_launches(GpuLaunch *l, job *j) {
  const unsigned int n = j->r->spec.n_phases;

  if (j->moves != NULL)
    add_begin(l, j);
  if (j->layout.cut.parts == 1) {
    add_launch(l, j, 0, 1);
    return;
  }
  for (unsigned int p = 0; p < n; p++)
    add_launch(l, j, p, j->layout.cut.parts);
  if (has_end(j))
    add_launch(l, j, n, 1);
}

static int build(GpuLaunch **out, job *j) {
  const ga__row_job *row = &j->row;
  const GpuRowsSpec *s = &j->r->spec;
  int err = GA_NO_ERROR;

  for (unsigned int i = 0; i < s->n_reduce; i++)
    GA_TRY(ga__row_job_check_some(row, s->reduce[i].name, s->reduce[i].op));
  if (row->space.n_out > 0)
    err = choose_layout(j);
  if (err == GA_DEVSUP_ERROR && j->moves != NULL)
    return GA_NO_ERROR; /* too many arguments for a loop */
  GA_TRY(err);
  if (j->moves != NULL && !suits_layout(j))
    return GA_NO_ERROR;
  GpuLaunch *l = ga__launch_open(j->r->args.ctx, "rows", row->args->n);
  if (row->space.n_out > 0)
    add_launches(l, j);
  ga__row_job_bind(l, row, j->layout.shape.lanes, j->r->all.n_ops,
                   j->moves != NULL ? (double)j->n_times : 1);
  return ga__launch_seal(out, l);
}

/* A space, and its operands. */
typedef struct operands {
  unsigned int nd;
  const size_t *dims;
  const unsigned char *reduced;
  void **args, **row_args;
} operands;

static int prepare(GpuLaunch **out, job *j, const operands *x) {
  const GpuRowsSpec *s = &j->r->spec;
  int err;

  *out = NULL;
  j->lists.far = NULL;
  j->layout = (ga__rows_layout){.cut.parts = 0};
  GA_CHECK(ga__row_job_init(&j->row, &j->r->args, x->args, x->row_args, x->nd,
                            x->dims, x->reduced, NULL));
  GA_CHECK(check_apart(j));
  j->works = ga__room_take(
      &j->lists, 1, s->n_reduce * sizeof *j->works + 2 * (size_t)s->n_args);
  if (j->works == NULL)
    GA_CHECK(ga__fail_nomem());
  j->fixed = (unsigned char *)(j->works + s->n_reduce);
  j->streams = j->fixed + s->n_args;
  if (j->moves == NULL || suits_loop(j))
    GA_CHECK(build(out, j));

done:
  ga__row_job_clear(&j->row);
  ga__room_drop(&j->lists);
  return err;
}

int GpuRows_prepare(GpuLaunch **out, GpuRows *r, unsigned int nd,
                    const size_t *dims, const unsigned char *reduced,
                    void **args, void **row_args) {
  job j; /* the room in it need not be zeroed */

  j.r = r;
  j.moves = NULL;
  j.n_states = 0;
  j.n_times = 0;
  j.words = 0;
  return prepare(out, &j, &(operands){nd, dims, reduced, args, row_args});
}

int GpuRows_prepare_loop(GpuLaunch **out, GpuRows *r, unsigned int nd,
                         const size_t *dims, const unsigned char *reduced,
                         void **args, void **row_args, size_t n,
                         unsigned int n_states, const GpuRowsMove *moves) {
  job j;

  j.r = r;
  j.moves = moves;
  j.n_states = n_states;
  j.n_times = n;
  j.words = 0;
  return prepare(out, &j, &(operands){nd, dims, reduced, args, row_args});
}
