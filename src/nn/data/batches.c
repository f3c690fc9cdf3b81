/* SPDX-License-Identifier: BSD-2-Clause */
/* Minibatches. A thread fills two slots in turn; the caller holds one of them
 * at most. The queue of the context is in order: what is written to a slot
 * again comes after the kernels that read it. */
#include <gpuarray/timeline.h>
#include <gpugraph/batches.h>

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "base/err.h"
#include "nn/data/data.h"

typedef struct slot {
  GpuArray *full, *part; /* for whole batches; a view of the rows there are */
  GpuArray **list;       /* of `part` */
  int is_full;
  int code; /* of filling it */
  char message[512];
} slot;

struct gg_batches {
  unsigned int n;
  gg_host_array *arrays;
  size_t *row_bytes;
  char **gathered; /* rows of a batch, for each array */
  gg_data **owned; /* what holds the arrays, or NULL */
  gg_data **read;  /* what reads rows when they are needed, or NULL */
  size_t rows, size, count;
  uint64_t seed;
  size_t *order, order_epoch; /* the rows of that epoch */
  int has_order;
  size_t epoch, index; /* what the thread fills next */
  slot slots[2];
  int at, is_taken;                      /* the caller's slot */
  uint64_t waited;                       /* nanoseconds */
  uint64_t gathered_ns, gathering_since; /* by the thread; since 0: it does
                                            something else */
  pthread_t thread;
  pthread_mutex_t lock; /* for the lines above, and slots' is_full */
  pthread_cond_t changed;
  int is_running, is_stopping;
};

/* --- the order of an epoch --- */

static uint64_t scrambled(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void shuffle(gg_batches *b) {
  uint64_t state = b->seed;

  if (b->has_order && b->order_epoch == b->epoch)
    return;
  state = scrambled(&state) ^ (uint64_t)b->epoch;
  state = scrambled(&state);
  for (size_t i = 0; i < b->rows; i++)
    b->order[i] = i;
  for (size_t i = b->rows; i > 1; i--) {
    const size_t j = (size_t)(scrambled(&state) % i), t = b->order[j];
    b->order[j] = b->order[i - 1];
    b->order[i - 1] = t;
  }
  b->has_order = 1;
  b->order_epoch = b->epoch;
}

/* --- the thread --- */

/* Make *rows those of array i for the batch that is next. */
static int gather(gg_batches *b, unsigned int i, size_t first, size_t n,
                  const char **rows) {
  const size_t bytes = b->row_bytes[i];
  const char *data = b->arrays[i].data;

  *rows = b->gathered[i] != NULL ? b->gathered[i] : data + first * bytes;
  for (size_t k = 0; b->gathered[i] != NULL && k < n; k++) {
    const size_t row = b->seed != 0 ? b->order[first + k] : first + k;
    if (b->read[i] != NULL)
      GA_TRY(b->read[i]->read_row(b->read[i], row, b->gathered[i] + k * bytes));
    else
      memcpy(b->gathered[i] + k * bytes, data + row * bytes, bytes);
  }
  return GA_NO_ERROR;
}

static void set_gathering(gg_batches *b, int on) {
  const uint64_t now = ga__now_ns();

  pthread_mutex_lock(&b->lock);
  if (!on)
    b->gathered_ns += now - b->gathering_since;
  b->gathering_since = on ? now : 0;
  pthread_mutex_unlock(&b->lock);
}

/* For how long the thread has gathered rows so far. Lock held. */
static uint64_t time_gathering(const gg_batches *b) {
  return b->gathered_ns +
         (b->gathering_since != 0 ? ga__now_ns() - b->gathering_since : 0);
}

/* `part` with the first n rows of `full`. */
static int view(GpuArray *part, const GpuArray *full, size_t n) {
  size_t dims[GG_MAX_ND];

  memcpy(dims, full->dimensions, full->nd * sizeof *dims);
  dims[0] = n;
  GpuArray_clear(part);
  return GpuArray_fromdata(part, full->data, full->offset, full->typecode,
                           full->nd, dims, full->strides, 1);
}

static int fill(gg_batches *b, slot *s) {
  const size_t first = b->index * b->size;
  const size_t n = ga__at_most(b->size, b->rows - first);

  if (b->seed != 0)
    shuffle(b);
  for (unsigned int i = 0; i < b->n; i++) {
    const char *rows;
    if (s->part[i].nd == 0 || s->part[i].dimensions[0] != n)
      GA_TRY(view(&s->part[i], &s->full[i], n));
    uint64_t begin = gpuarray_timeline_now();
    set_gathering(b, 1);
    const int err = gather(b, i, first, n, &rows);
    set_gathering(b, 0);
    GA_TRY(err);
    gpuarray_timeline_add("gather rows", "host", begin);
    begin = gpuarray_timeline_now();
    GA_TRY(GpuArray_write(&s->part[i], rows, n * b->row_bytes[i]));
    gpuarray_timeline_add("copy to device", "host", begin);
  }
  if (++b->index == b->count) {
    b->index = 0;
    b->epoch++;
  }
  return GA_NO_ERROR;
}

static void *work(void *arg) {
  gg_batches *b = arg;
  int at = 0, is_going = 1;

  while (is_going) {
    slot *s = &b->slots[at];
    pthread_mutex_lock(&b->lock);
    while (s->is_full && !b->is_stopping)
      pthread_cond_wait(&b->changed, &b->lock);
    is_going = !b->is_stopping;
    pthread_mutex_unlock(&b->lock);
    if (!is_going)
      break;
    gpuarray_timeline_thread("batches");
    s->code = fill(b, s);
    if (s->code != GA_NO_ERROR)
      snprintf(s->message, sizeof s->message, "%s", ga__err_text(s->code));
    is_going = s->code == GA_NO_ERROR;
    pthread_mutex_lock(&b->lock);
    s->is_full = 1;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->lock);
    at = !at;
  }
  return NULL;
}

static int start(gg_batches *b) {
  if (b->is_running)
    return GA_NO_ERROR;
  b->is_stopping = b->is_taken = b->at = 0;
  b->slots[0].is_full = b->slots[1].is_full = 0;
  b->slots[0].code = b->slots[1].code = GA_NO_ERROR;
  if (pthread_create(&b->thread, NULL, work, b) != 0)
    return ga__fail(GA_SYS_ERROR, "no thread for batches");
  b->is_running = 1;
  return GA_NO_ERROR;
}

static void stop(gg_batches *b) {
  if (!b->is_running)
    return;
  pthread_mutex_lock(&b->lock);
  b->is_stopping = 1;
  pthread_cond_signal(&b->changed);
  pthread_mutex_unlock(&b->lock);
  pthread_join(b->thread, NULL);
  b->is_running = 0;
}

/* --- making --- */

static int check_array(unsigned int i, const gg_host_array *a, size_t rows,
                       int is_read) {
  const size_t size = ga__dtype_size(a->dtype);
  size_t bytes = size;

  if (size == 0 || (a->data == NULL && !is_read))
    return ga__fail(GA_INVALID_ERROR, "array %u has %s", i,
                    size == 0 ? "no dtype of arrays" : "no data");
  if (a->nd < 1 || a->nd > GG_MAX_ND)
    return ga__fail(GA_VALUE_ERROR, "array %u has %u axes, expected 1 to %d", i,
                    a->nd, GG_MAX_ND);
  if (a->dims[0] != rows || rows == 0)
    return ga__fail(GA_VALUE_ERROR, "array %u has %zu rows, expected %zu", i,
                    a->dims[0], rows != 0 ? rows : 1);
  for (unsigned int d = 0; d < a->nd; d++)
    bytes = ga__times(bytes, a->dims[d]);
  if (bytes > (size_t)PTRDIFF_MAX)
    return ga__fail(GA_XLARGE_ERROR, "array %u is too large", i);
  return GA_NO_ERROR;
}

static int check(unsigned int n, const gg_host_array *arrays,
                 gg_data *const *data, const gg_batches_spec *spec) {
  if (n == 0 || arrays == NULL || spec == NULL)
    return ga__fail(GA_INVALID_ERROR, "batches of nothing");
  if (spec->size == 0)
    return ga__fail(GA_VALUE_ERROR, "batches of 0 rows");
  for (unsigned int i = 0; i < n; i++)
    GA_TRY(check_array(i, &arrays[i], arrays[0].dims[0],
                       data != NULL && data[i]->images != NULL));
  if (spec->drop_last && arrays[0].dims[0] < spec->size)
    return ga__fail(GA_VALUE_ERROR, "%zu rows are less than a batch of %zu",
                    arrays[0].dims[0], spec->size);
  return GA_NO_ERROR;
}

static int make_array(gg_batches *b, gpucontext *ctx, unsigned int i) {
  gg_host_array *a = &b->arrays[i];
  size_t dims[GG_MAX_ND];

  memcpy(dims, a->dims, sizeof dims);
  dims[0] = b->size;
  b->row_bytes[i] = ga__dtype_size(a->dtype);
  for (unsigned int d = 1; d < a->nd; d++)
    b->row_bytes[i] *= a->dims[d];
  if (b->seed != 0 || b->read[i] != NULL) {
    b->gathered[i] = ga__malloc(b->size * b->row_bytes[i] + sizeof(double));
    if (b->gathered[i] == NULL)
      return ga__fail_nomem();
  }
  for (int k = 0; k < 2; k++) {
    b->slots[k].list[i] = &b->slots[k].part[i];
    GA_TRY(GpuArray_empty(&b->slots[k].full[i], ctx, a->dtype, a->nd, dims,
                          GA_C_ORDER));
  }
  return GA_NO_ERROR;
}

static int make_lists(gg_batches *b) {
  int ok = 1;

  b->arrays = ga__calloc(b->n, sizeof *b->arrays);
  b->row_bytes = ga__calloc(b->n, sizeof *b->row_bytes);
  b->gathered = ga__calloc(b->n, sizeof *b->gathered);
  b->owned = ga__calloc(b->n, sizeof *b->owned);
  b->read = ga__calloc(b->n, sizeof *b->read);
  b->order = ga__calloc(b->seed != 0 ? b->rows : 1, sizeof *b->order);
  for (int k = 0; k < 2; k++) {
    slot *s = &b->slots[k];
    s->full = ga__calloc(b->n, sizeof *s->full);
    s->part = ga__calloc(b->n, sizeof *s->part);
    s->list = ga__calloc(b->n, sizeof *s->list);
    ok = ok && s->full != NULL && s->part != NULL && s->list != NULL;
  }
  ok = ok && b->arrays != NULL && b->row_bytes != NULL && b->gathered != NULL &&
       b->owned != NULL && b->read != NULL && b->order != NULL;
  return ok ? GA_NO_ERROR : ga__fail_nomem();
}

/* Make batches of arrays; `data` is what they come from, or NULL. */
static int make(gg_batches **out, gpucontext *ctx, unsigned int n,
                const gg_host_array *arrays, gg_data *const *data,
                const gg_batches_spec *spec) {
  if (ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the context is NULL");
  GA_TRY(check(n, arrays, data, spec));
  gg_batches *b = ga__calloc(1, sizeof *b);
  if (b == NULL)
    return ga__fail_nomem();
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->changed, NULL);
  b->n = n;
  b->rows = arrays[0].dims[0];
  b->size = ga__at_most(spec->size, b->rows);
  b->count =
      spec->drop_last ? b->rows / b->size : ga__ceil_div(b->rows, b->size);
  b->seed = spec->seed;
  int err = make_lists(b);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) {
    b->arrays[i] = arrays[i];
    b->read[i] = data != NULL && data[i]->images != NULL ? data[i] : NULL;
    err = make_array(b, ctx, i);
  }
  if (err != GA_NO_ERROR)
    gg_batches_free(b);
  else
    *out = b;
  return err;
}

int gg_batches_new(gg_batches **out, gpucontext *ctx, unsigned int n,
                   const gg_host_array *arrays, const gg_batches_spec *spec) {
  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write the batches");
  *out = NULL;
  return make(out, ctx, n, arrays, NULL, spec);
}

static void slot_clear(slot *s, unsigned int n) {
  for (unsigned int i = 0; i < n; i++) {
    if (s->part != NULL)
      GpuArray_clear(&s->part[i]);
    if (s->full != NULL)
      GpuArray_clear(&s->full[i]);
  }
  ga__free(s->part);
  ga__free(s->full);
  ga__free(s->list);
}

void gg_batches_free(gg_batches *b) {
  if (b == NULL)
    return;
  stop(b);
  for (unsigned int i = 0; i < b->n; i++) {
    if (b->gathered != NULL)
      ga__free(b->gathered[i]);
    if (b->owned != NULL)
      gg_data_free(b->owned[i]);
  }
  slot_clear(&b->slots[0], b->n);
  slot_clear(&b->slots[1], b->n);
  ga__free(b->arrays);
  ga__free(b->row_bytes);
  ga__free(b->gathered);
  ga__free(b->owned);
  ga__free(b->read);
  ga__free(b->order);
  pthread_mutex_destroy(&b->lock);
  pthread_cond_destroy(&b->changed);
  ga__free(b);
}

/* --- files --- */

int gg_batches_data(gg_batches **out, gpucontext *ctx, unsigned int n,
                    gg_data *const *data, const gg_batches_spec *spec) {
  if (out == NULL || data == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s NULL",
                    out == NULL ? "result is" : "data is");
  *out = NULL;
  gg_host_array *arrays = ga__calloc(n, sizeof *arrays);
  int err = arrays != NULL ? GA_NO_ERROR : ga__fail_nomem();
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++) {
    if (data[i] != NULL)
      arrays[i] = *gg_data_array(data[i]);
    else
      err = ga__fail(GA_INVALID_ERROR, "data %u is NULL", i);
  }
  if (err == GA_NO_ERROR)
    err = make(out, ctx, n, arrays, data, spec);
  ga__free(arrays);
  return err;
}

int gg_batches_npy(gg_batches **out, gpucontext *ctx, unsigned int n,
                   const char *const *paths, const gg_batches_spec *spec) {
  if (out == NULL || paths == NULL || ctx == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s NULL",
                    out == NULL     ? "result is"
                    : paths == NULL ? "paths are"
                                    : "context is");
  *out = NULL;
  gg_data **data = ga__calloc(n, sizeof *data);
  int err = data != NULL ? GA_NO_ERROR : ga__fail_nomem();
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++)
    err = gg_data_npy(&data[i], paths[i]);
  if (err == GA_NO_ERROR)
    err = gg_batches_data(out, ctx, n, data, spec);
  for (unsigned int i = 0; data != NULL && i < n; i++) {
    if (err == GA_NO_ERROR)
      (*out)->owned[i] = data[i];
    else
      gg_data_free(data[i]);
  }
  ga__free(data);
  return err;
}

/* --- taking --- */

int gg_batches_next(gg_batches *b, GpuArray *const **arrays) {
  if (b == NULL || arrays == NULL)
    return ga__fail(GA_INVALID_ERROR, "the %s NULL",
                    b == NULL ? "batches are" : "result is");
  GA_TRY(start(b));
  const uint64_t shown = gpuarray_timeline_now();
  pthread_mutex_lock(&b->lock);
  const uint64_t gathering = time_gathering(b);
  if (b->is_taken) {
    b->slots[b->at].is_full = 0;
    b->at = !b->at;
    pthread_cond_signal(&b->changed);
  }
  b->is_taken = 0;
  while (!b->slots[b->at].is_full)
    pthread_cond_wait(&b->changed, &b->lock);
  b->waited += time_gathering(b) - gathering;
  pthread_mutex_unlock(&b->lock);
  gpuarray_timeline_add("next batch", "wait", shown);
  const slot *s = &b->slots[b->at];
  if (s->code != GA_NO_ERROR)
    return ga__fail(s->code, "%s", s->message);
  b->is_taken = 1;
  *arrays = s->list;
  return GA_NO_ERROR;
}

int gg_batches_seek(gg_batches *b, size_t epoch, size_t index) {
  if (b == NULL)
    return ga__fail(GA_INVALID_ERROR, "the batches are NULL");
  if (index >= b->count)
    return ga__fail(GA_VALUE_ERROR, "batch %zu of %zu", index, b->count);
  stop(b);
  b->epoch = epoch;
  b->index = index;
  return GA_NO_ERROR;
}

size_t gg_batches_count(const gg_batches *b) {
  return b != NULL ? b->count : 0;
}

unsigned int gg_batches_arrays(const gg_batches *b) {
  return b != NULL ? b->n : 0;
}

size_t gg_batches_rows(const gg_batches *b) {
  return b != NULL ? b->rows : 0;
}

double gg_batches_waited(const gg_batches *b) {
  return b != NULL ? 1e-9 * (double)b->waited : 0;
}
