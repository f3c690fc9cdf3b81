/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of images: a folder for each class. Only names are kept; a batch
 * reads the files of its rows. */
#include "nn/data/data.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"
#include "nn/data/image_file.h"

struct gg__images {
  GA_VEC(char *) paths; /* by class, then by name */
  GA_VEC(int) classes;
  gg__image_size size;
  int skips;
  char *is_bad; /* for each file */
};

/* --- names --- */

typedef GA_VEC(char *) list;

static void list_clear(list *l) {
  for (size_t i = 0; i < l->n; i++)
    ga__free(l->v[i]);
  ga__vec_clear(l);
}

static int before(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_folder(const char *folder, const char *name) {
  ga__strb path = GA_STRB_INIT;
  struct stat st;

  ga__strb_appendf(&path, "%s/%s", folder, name);
  const int is =
      path.err == GA_NO_ERROR && stat(path.s, &st) == 0 && S_ISDIR(st.st_mode);
  ga__strb_clear(&path);
  return is;
}

static int is_image(const char *folder, const char *name) {
  const char *dot = strrchr(name, '.');

  (void)folder;
  return dot != NULL &&
         (strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".jpg") == 0 ||
          strcasecmp(dot, ".jpeg") == 0);
}

/* The names in a folder that `is_wanted` takes, in order; hidden ones are left
 * out. */
static int read_folder(list *out, const char *folder,
                       int (*is_wanted)(const char *, const char *)) {
  const struct dirent *e;
  DIR *dir = opendir(folder);
  int err = GA_NO_ERROR;

  if (dir == NULL)
    return ga__file_fail("open", folder);
  while (err == GA_NO_ERROR && (e = readdir(dir)) != NULL) {
    if (e->d_name[0] == '.' || !is_wanted(folder, e->d_name))
      continue;
    char *name = ga__strdup(e->d_name);
    err = name != NULL ? ga__vec_push(out, name) : ga__fail_nomem();
    if (err != GA_NO_ERROR)
      ga__free(name);
  }
  closedir(dir);
  if (out->n > 1)
    qsort(out->v, out->n, sizeof *out->v, before);
  return err;
}

/* --- files --- */

static int add_file(gg__images *x, const char *folder, const char *name,
                    int class_index) {
  ga__strb path = GA_STRB_INIT;
  char *text = NULL;

  ga__strb_appendf(&path, "%s/%s", folder, name);
  GA_TRY(ga__strb_take(&path, &text));
  int err = ga__vec_push(&x->paths, text);
  if (err != GA_NO_ERROR) {
    ga__free(text);
    return err;
  }
  return ga__vec_push(&x->classes, class_index);
}

static int add_class(gg__images *x, const char *folder, const char *name,
                     int class_index) {
  ga__strb path = GA_STRB_INIT;
  list names = {NULL, 0, 0};
  int err;

  ga__strb_appendf(&path, "%s/%s", folder, name);
  GA_CHECK(path.err);
  GA_CHECK(read_folder(&names, path.s, is_image));
  for (size_t i = 0; i < names.n; i++)
    GA_CHECK(add_file(x, path.s, names.v[i], class_index));
done:
  list_clear(&names);
  ga__strb_clear(&path);
  return err;
}

static void images_free(gg__images *x) {
  for (size_t i = 0; i < x->paths.n; i++)
    ga__free(x->paths.v[i]);
  ga__vec_clear(&x->paths);
  ga__vec_clear(&x->classes);
  ga__free(x->is_bad);
  ga__free(x);
}

/* --- rows --- */

static int skip(gg_data *d, size_t i, int code) {
  if (d->images->is_bad[i]++ != 0)
    return GA_NO_ERROR;
  return gg__data_skip(d, code);
}

/* Read row i, or, if it cannot be read and that is asked for, the next one of
 * its class that can. */
static int read_row(gg_data *d, size_t i, void *out) {
  gg__images *x = d->images;
  const size_t n = x->paths.n;
  gg__image_size size = x->size;

  for (size_t k = 0; k < n; k++) {
    const size_t at = (i + k) % n;
    if (x->classes.v[at] != x->classes.v[i] || x->is_bad[at])
      continue;
    const int err = gg__image_read(x->paths.v[at], &size, out);
    if (err == GA_NO_ERROR || !x->skips ||
        (err != GA_VALUE_ERROR && err != GA_SYS_ERROR))
      return err;
    GA_TRY(skip(d, at, err));
  }
  return ga__fail(GA_VALUE_ERROR, "%s: no image of its class can be read",
                  x->paths.v[i]);
}

/* Without sizes, those of the first file that can be read. */
static int find_size(gg_data *d) {
  gg__images *x = d->images;

  for (size_t i = 0; i < x->paths.n; i++) {
    gg__image_size size = x->size;
    const int err = gg__image_read(x->paths.v[i], &size, NULL);
    if (err == GA_NO_ERROR) {
      x->size = size;
      return GA_NO_ERROR;
    }
    if (!x->skips || (err != GA_VALUE_ERROR && err != GA_SYS_ERROR))
      return err;
    GA_TRY(skip(d, i, err));
  }
  return ga__fail(GA_VALUE_ERROR, "no image can be read");
}

/* --- the whole --- */

static int list_files(gg__images *x, const list *classes, const char *folder) {
  for (size_t i = 0; i < classes->n; i++)
    GA_TRY(add_class(x, folder, classes->v[i], (int)i));
  if (x->paths.n == 0)
    return ga__fail(GA_VALUE_ERROR,
                    "%s has no folder with files .png, .jpg or .jpeg", folder);
  x->is_bad = ga__calloc(x->paths.n, 1);
  return x->is_bad != NULL ? GA_NO_ERROR : ga__fail_nomem();
}

static int make_images(gg_data *d, const list *classes, const char *folder,
                       const gg_images_spec *spec) {
  gg__images *x = d->images = ga__calloc(1, sizeof *x);

  if (x == NULL)
    return ga__fail_nomem();
  d->read_row = read_row;
  d->free_images = images_free;
  x->skips = spec->skip_bad;
  x->size = (gg__image_size){spec->height, spec->width,
                             spec->channels != 0 ? spec->channels : 3};
  GA_TRY(list_files(x, classes, folder));
  if (spec->height == 0 || spec->width == 0)
    GA_TRY(find_size(d));
  const size_t channels = (size_t)x->size.channels;
  d->array = (gg_host_array){
      .dtype = GA_UBYTE,
      .nd = 4,
      .dims = {x->paths.n, channels, x->size.height, x->size.width}};
  return GA_NO_ERROR;
}

/* Classes of the files; their names become those of `d`. */
static int make_labels(gg_data *d, const gg__images *x, list *classes) {
  GA_TRY(gg__data_alloc(d, GA_INT, 1, &x->classes.n));
  memcpy(d->memory, x->classes.v, x->classes.n * sizeof(int));
  d->names = classes->v;
  d->n_names = classes->n;
  *classes = (list){NULL, 0, 0};
  return GA_NO_ERROR;
}

static int check(gg_data **images, gg_data **labels, const char *folder,
                 const gg_images_spec *spec) {
  if (labels != NULL)
    *labels = NULL;
  GA_TRY(gg__data_check(images, folder));
  if (labels == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write the labels");
  if (spec->channels != 0 && spec->channels != 1 && spec->channels != 3)
    return ga__fail(GA_VALUE_ERROR, "%d channels, expected 1 or 3",
                    spec->channels);
  if (ga__times(spec->height, spec->width) > (size_t)1 << 28)
    return ga__fail(GA_VALUE_ERROR, "images of %zu x %zu pixels", spec->height,
                    spec->width);
  return GA_NO_ERROR;
}

int gg_data_images(gg_data **images, gg_data **labels, const char *folder,
                   const gg_images_spec *spec) {
  const gg_images_spec s = spec != NULL ? *spec : (gg_images_spec){0};
  gg_data *x = NULL, *y = NULL;
  list classes = {NULL, 0, 0};
  int err;

  GA_TRY(check(images, labels, folder, &s));
  GA_CHECK(read_folder(&classes, folder, is_folder));
  GA_CHECK(gg__data_new(&x));
  GA_CHECK(gg__data_new(&y));
  GA_CHECK(make_images(x, &classes, folder, &s));
  err = make_labels(y, x->images, &classes);
done:
  list_clear(&classes);
  gg__data_done(images, x, err);
  return gg__data_done(labels, y, err);
}
