/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of images: what is read, in which order, and what becomes of files
 * that are damaged. */
#include "base/alloc.h"
#include "support/device.h"
#include "support/tmpfile.h"

#include <gpugraph/batches.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nn/images.h"

static char folder[512];

static const char *at(const char *name) {
  static char path[700];

  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put(const char *name, const unsigned char *bytes, size_t n) {
  test_file_write(at(name), bytes, n);
}

static const char *const files[] = {"cat/b.png", "cat/a.PNG", "cat/notes.txt",
                                    "dog/c.png", "dog/d.jpg", "cat/z.png"};

static int teardown(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    remove(at(files[i]));
  rmdir(at("cat"));
  rmdir(at("dog"));
  rmdir(folder);
  return 0;
}

static int setup(void **state) {
  snprintf(folder, sizeof folder, "%s", test_file_path("images"));
  teardown(state);
  mkdir(folder, 0700);
  mkdir(at("cat"), 0700);
  mkdir(at("dog"), 0700);
  put("cat/b.png", red_png, sizeof red_png);
  put("cat/a.PNG", grey_png, sizeof grey_png);
  put("cat/notes.txt", grey_png, 9);
  put("dog/c.png", red_png, sizeof red_png);
  return 0;
}

/* The images of one batch, without an order. */
static int read_all(const gg_data *d[2], size_t n, unsigned char *out) {
  gg_data *both[2] = {(gg_data *)(uintptr_t)d[0], (gg_data *)(uintptr_t)d[1]};
  GpuArray *const *now;
  gg_batches *b;

  assert_ok(gg_batches_data(&b, test_context(), 2, both,
                            &(gg_batches_spec){.size = n}));
  int err = gg_batches_next(b, &now);
  if (err == GA_NO_ERROR)
    assert_ok(GpuArray_read(out, now[0]->dimensions[0] * 12, now[0]));
  gg_batches_free(b);
  return err;
}

/* --- what is read --- */

static void folders_are_classes(void **state) {
  static const unsigned char red[12] = {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12},
                             grey[4] = {20, 30, 40, 50};
  unsigned char got[3 * 12];
  gg_data *d[2];

  (void)state;
  assert_ok(gg_data_images(&d[0], &d[1], folder, NULL));
  const gg_host_array *a = gg_data_array(d[0]), *y = gg_data_array(d[1]);
  assert_int_equal(a->dtype, GA_UBYTE);
  assert_int_equal(a->nd, 4);
  assert_memory_equal(a->dims, ((size_t[]){3, 3, 2, 2}), 4 * sizeof(size_t));
  assert_int_equal(y->dtype, GA_INT);
  assert_int_equal(y->dims[0], 3);
  assert_memory_equal(y->data, ((int[]){0, 0, 1}), 3 * sizeof(int));
  assert_int_equal(gg_data_column(d[1], "cat"), 0);
  assert_int_equal(gg_data_column(d[1], "dog"), 1);
  assert_ok(read_all((const gg_data *[]){d[0], d[1]}, 3, got));
  for (int k = 0; k < 3; k++) /* a.PNG is before b.png */
    assert_memory_equal(got + 4 * k, grey, 4);
  assert_memory_equal(got + 12, red, 12);
  assert_memory_equal(got + 24, red, 12);
  gg_data_free(d[0]);
  gg_data_free(d[1]);
}

static void jpeg_files_are_read(void **state) {
  static const unsigned char want[3] = {200, 100, 50};
  unsigned char got[4 * 12];
  gg_data *d[2];

  (void)state;
  put("dog/d.jpg", flat_jpeg, sizeof flat_jpeg);
  assert_ok(gg_data_images(&d[0], &d[1], folder, NULL));
  const int err = read_all((const gg_data *[]){d[0], d[1]}, 4, got);
  gg_data_free(d[0]);
  gg_data_free(d[1]);
  if (err == GA_UNSUPPORTED_ERROR)
    skip();
  assert_ok(err);
  for (int i = 0; i < 12; i++)
    assert_in_range(got[36 + i], want[i / 4] - 3, want[i / 4] + 3);
  /* Without its second half it is refused, not filled with grey. */
  put("dog/d.jpg", flat_jpeg, sizeof flat_jpeg - 20);
  assert_ok(gg_data_images(&d[0], &d[1], folder, NULL));
  assert_code(GA_VALUE_ERROR,
              read_all((const gg_data *[]){d[0], d[1]}, 4, got));
  assert_message(GA_VALUE_ERROR, "dog/d.jpg: ");
  gg_data_free(d[0]);
  gg_data_free(d[1]);
  remove(at("dog/d.jpg"));
}

/* --- what is refused --- */

static void bad_file(const unsigned char *bytes, size_t n, const char *part) {
  unsigned char got[4 * 12];
  gg_data *d[2];

  put("cat/z.png", bytes, n);
  assert_ok(gg_data_images(&d[0], &d[1], folder, NULL));
  assert_code(GA_VALUE_ERROR,
              read_all((const gg_data *[]){d[0], d[1]}, 4, got));
  assert_message(GA_VALUE_ERROR, "cat/z.png");
  assert_message(GA_VALUE_ERROR, part);
  gg_data_free(d[0]);
  gg_data_free(d[1]);
  assert_ok(
      gg_data_images(&d[0], &d[1], folder, &(gg_images_spec){.skip_bad = 1}));
  assert_ok(read_all((const gg_data *[]){d[0], d[1]}, 4, got));
  assert_memory_equal(got + 24, got, 12); /* the next one of its class */
  assert_int_equal(gg_data_skipped(d[0]), 1);
  assert_non_null(strstr(gg_data_skipped_why(d[0]), part));
  gg_data_free(d[0]);
  gg_data_free(d[1]);
  remove(at("cat/z.png"));
}

static void damaged_files_are_named(void **state) {
  (void)state;
  bad_file(large_png, sizeof large_png, "has 2 x 3 pixels, expected 2 x 2");
  bad_file(red_png, sizeof red_png - 30, "cat/z.png: ");
  bad_file((const unsigned char *)"text", 4, "is neither PNG nor JPEG");
  bad_file((const unsigned char *)"", 0, "is neither PNG nor JPEG");
}

/* Another program may delete a file that was listed. */
static void deleted_files_are_named(void **state) {
  unsigned char got[4 * 12];
  gg_data *d[2];

  (void)state;
  for (int skips = 0; skips < 2; skips++) {
    put("cat/z.png", red_png, sizeof red_png);
    assert_ok(gg_data_images(&d[0], &d[1], folder,
                             &(gg_images_spec){.skip_bad = skips}));
    remove(at("cat/z.png"));
    const int err = read_all((const gg_data *[]){d[0], d[1]}, 4, got);
    if (skips) {
      assert_ok(err);
      assert_int_equal(gg_data_skipped(d[0]), 1);
      assert_non_null(strstr(gg_data_skipped_why(d[0]), "cat/z.png"));
      assert_non_null(strstr(gg_data_skipped_why(d[0]), "No such file"));
    } else {
      assert_code(GA_SYS_ERROR, err);
      assert_message(GA_SYS_ERROR, "cat/z.png");
    }
    gg_data_free(d[0]);
    gg_data_free(d[1]);
  }
}

static void refused(int code, const char *path, gg_images_spec spec,
                    const char *part) {
  gg_data *d[2] = {(gg_data *)&d, (gg_data *)&d};

  assert_code(code, gg_data_images(&d[0], &d[1], path, &spec));
  assert_null(d[0]);
  assert_null(d[1]);
  assert_message(code, part);
}

static void bad_folders_are_refused(void **state) {
  gg_data *d;

  (void)state;
  refused(GA_SYS_ERROR, "/no/such", (gg_images_spec){0}, "/no/such");
  refused(GA_INVALID_ERROR, NULL, (gg_images_spec){0}, "NULL");
  refused(GA_VALUE_ERROR, at("cat"), (gg_images_spec){0}, "has no folder with");
  refused(GA_VALUE_ERROR, folder, (gg_images_spec){.channels = 2},
          "2 channels, expected 1 or 3");
  refused(GA_VALUE_ERROR, folder,
          (gg_images_spec){.height = SIZE_MAX, .width = 2}, "images of");
  assert_code(GA_INVALID_ERROR, gg_data_images(&d, NULL, folder, NULL));
  assert_code(GA_INVALID_ERROR, gg_data_images(NULL, &d, folder, NULL));
}

/* Whichever allocation fails, that is said, and nothing stays. */
static void folders_without_memory_fail_cleanly(void **state) {
  int err = GA_MEMORY_ERROR;

  (void)state;
  for (long i = 1; err != GA_NO_ERROR; i++) {
    gg_data *d[2];
    const long live = ga__alloc_live();
    ga__alloc_fail(i, 0);
    err = gg_data_images(&d[0], &d[1], folder,
                         &(gg_images_spec){.height = 2, .width = 2});
    ga__alloc_fail(0, 0);
    assert_true(err == GA_NO_ERROR || err == GA_MEMORY_ERROR);
    gg_data_free(d[0]);
    gg_data_free(d[1]);
    assert_int_equal(ga__alloc_live(), live);
  }
}

/* A build without the library says so. */
static int setup_if_read(void **state) {
  gg_data *d[2];

  setup(state);
  const int err = gg_data_images(&d[0], &d[1], folder, NULL);
  if (err == GA_NO_ERROR) {
    gg_data_free(d[0]);
    gg_data_free(d[1]);
    return 0;
  }
  printf("%s: left out\n", gpuarray_error_text(err));
  exit(err == GA_UNSUPPORTED_ERROR ? 0 : 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_are_classes),
      cmocka_unit_test(jpeg_files_are_read),
      cmocka_unit_test(damaged_files_are_named),
      cmocka_unit_test(deleted_files_are_named),
      cmocka_unit_test(bad_folders_are_refused),
      cmocka_unit_test(folders_without_memory_fail_cleanly)};

  return cmocka_run_group_tests(tests, setup_if_read, teardown);
}
