/* SPDX-License-Identifier: BSD-2-Clause */
/* What a save does to what is at its path: files of other modes, links,
 * devices, pipes, folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

static char dir[200];

static const char *in_dir(const char *name) {
  static char paths[4][300]; /* of the last four calls */
  static int next;

  next = (next + 1) % 4;
  snprintf(paths[next], sizeof paths[next], "%s/%s", dir, name);
  return paths[next];
}

static int count_one(void *n, const ga__dir_entry *e) {
  (void)e;
  ++*(int *)n;
  return 0;
}

static int n_files(void) {
  int n = 0;

  assert_int_equal(ga__dir_each(dir, count_one, &n), 0);
  return n;
}

static struct stat status_of(const char *path) {
  struct stat st;

  assert_int_equal(lstat(path, &st), 0);
  return st;
}

static void assert_holds(const char *path, const char *text) {
  unsigned char *bytes;
  size_t n;

  assert_int_equal(ga__file_read(path, &bytes, &n), GA_NO_ERROR);
  assert_int_equal(n, strlen(text));
  assert_memory_equal(bytes, text, n);
  ga__free(bytes);
}

static void assert_message(const char *part) {
  assert_non_null(strstr(gpuarray_error_text(0), part));
}

static int save(const char *path, const char *text) {
  return ga__file_write(path, text, strlen(text), 0);
}

/* As archives do. */
static int save_patched(const char *path, const char *text) {
  ga__newfile f;

  GA_TRY(ga__newfile_open(&f, path, GA_FILE_PATCHED));
  int err = ga__newfile_write(&f, "?", 1);
  if (err == GA_NO_ERROR)
    err = ga__newfile_write(&f, text + 1, strlen(text + 1));
  if (err == GA_NO_ERROR)
    err = ga__newfile_write_at(&f, 0, text, 1);
  int closed = ga__newfile_close(&f, err == GA_NO_ERROR);
  return err == GA_NO_ERROR ? closed : err;
}

static void modes_are_kept(void **state) {
  static const mode_t modes[] = {0600, 0640, 0666, 0755};
  const mode_t mask = umask(0027);

  (void)state;
  assert_int_equal(save(in_dir("f"), "new"), GA_NO_ERROR);
  assert_int_equal(status_of(in_dir("f")).st_mode & 07777, 0640);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    assert_int_equal(chmod(in_dir("f"), modes[i]), 0);
    assert_int_equal(save(in_dir("f"), "newer"), GA_NO_ERROR);
    assert_int_equal(status_of(in_dir("f")).st_mode & 07777, modes[i]);
  }
  umask(mask);
  assert_holds(in_dir("f"), "newer");
  assert_int_equal(unlink(in_dir("f")), 0);
}

/* Only root can give files away: others see that theirs stay theirs. */
static void owners_are_kept(void **state) {
  const int root = geteuid() == 0;
  const uid_t user = root ? 12345 : geteuid();
  const gid_t group = root ? 54321 : getegid();
  const uid_t users[3] = {user, geteuid(), user};
  const gid_t groups[3] = {group, group, getegid()};

  (void)state;
  for (int i = 0; i < 3; i++) { /* both differ from ours, or one */
    assert_int_equal(save(in_dir("f"), "old"), GA_NO_ERROR);
    assert_int_equal(chown(in_dir("f"), users[i], groups[i]), 0);
    assert_int_equal(chmod(in_dir("f"), 0604), 0);
    assert_int_equal(save(in_dir("f"), "new"), GA_NO_ERROR);
    struct stat st = status_of(in_dir("f"));
    assert_int_equal(st.st_uid, users[i]);
    assert_int_equal(st.st_gid, groups[i]);
    assert_int_equal(st.st_mode & 07777, 0604);
    assert_int_equal(unlink(in_dir("f")), 0);
  }
}

/* Whether `fn` says yes for a user who is not root: 2 if there is no other. */
static int ask_another(int (*fn)(void)) {
  int status;

  assert_int_equal(chmod(dir, 0777), 0);
  pid_t pid = fork();
  if (pid == 0) {
    if (setgid(4321) != 0 || setuid(4321) != 0)
      _exit(2); /* a namespace without that user */
    _exit(fn() ? 0 : 1);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(chmod(dir, 0755), 0);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* One who may write a file of another's, but cannot give files away. */
static int may_write(void) {
  return save(in_dir("f"), "new") == GA_NO_ERROR;
}

static void files_of_others_are_written_in_place(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip();
  assert_int_equal(save(in_dir("f"), "older"), GA_NO_ERROR);
  assert_int_equal(chmod(in_dir("f"), 0666), 0);
  const struct stat before = status_of(in_dir("f"));
  const int answer = ask_another(may_write);
  if (answer == 2)
    skip();
  assert_int_equal(answer, 0);
  struct stat st = status_of(in_dir("f"));
  assert_int_equal(st.st_ino, before.st_ino);
  assert_int_equal(st.st_uid, 0);
  assert_int_equal(st.st_mode & 07777, 0666);
  assert_holds(in_dir("f"), "new");
  assert_int_equal(n_files(), 1);
  assert_int_equal(unlink(in_dir("f")), 0);
}

static int is_refused(void) {
  const char *names[2] = {in_dir("f"), in_dir("pipe")};

  for (int i = 0; i < 2; i++)
    if (save(names[i], "new") != GA_SYS_ERROR ||
        save_patched(names[i], "new") != GA_SYS_ERROR ||
        strstr(gpuarray_error_text(0), "cannot open") == NULL)
      return 0;
  return 1;
}

/* Though a new file could take their place. */
static void files_that_others_guard_stay(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip();
  assert_int_equal(save(in_dir("f"), "old"), GA_NO_ERROR);
  assert_int_equal(chmod(in_dir("f"), 0644), 0);
  assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
  const int answer = ask_another(is_refused);
  assert_holds(in_dir("f"), "old");
  assert_int_equal(n_files(), 1);
  assert_int_equal(unlink(in_dir("f")), 0);
  assert_int_equal(unlink(in_dir("pipe")), 0);
  if (answer == 2)
    skip();
  assert_int_equal(answer, 0);
}

/* One trusts folders of one's own and of root, and no other's. */
static int trusts_the_right(void) {
  return mkdir(in_dir("own"), 0700) == 0 &&
         ga__dir_check_own(in_dir("own")) == GA_NO_ERROR &&
         ga__dir_check_own("/") == GA_NO_ERROR &&
         ga__dir_check_own(in_dir("others")) == GA_SYS_ERROR;
}

static void folders_are_trusted_by_owner(void **state) {
  (void)state;
  if (geteuid() != 0)
    skip();
  assert_int_equal(mkdir(in_dir("others"), 0755), 0);
  assert_int_equal(chown(in_dir("others"), 12345, 54321), 0);
  const int answer = ask_another(trusts_the_right);
  rmdir(in_dir("own"));
  assert_int_equal(rmdir(in_dir("others")), 0);
  if (answer == 2)
    skip();
  assert_int_equal(answer, 0);
}

/* Links to a file, to a link, and to nothing; relative and absolute. */
static void links_are_followed(void **state) {
  (void)state;
  assert_int_equal(mkdir(in_dir("d"), 0777), 0);
  assert_int_equal(symlink("d/f", in_dir("near")), 0);
  assert_int_equal(symlink(in_dir("near"), in_dir("far")), 0);
  assert_int_equal(save(in_dir("far"), "one"), GA_NO_ERROR); /* dangling */
  assert_holds(in_dir("d/f"), "one");
  assert_int_equal(save(in_dir("far"), "two"), GA_NO_ERROR);
  assert_holds(in_dir("d/f"), "two");
  assert_true(S_ISLNK(status_of(in_dir("near")).st_mode));
  assert_true(S_ISLNK(status_of(in_dir("far")).st_mode));
  assert_true(S_ISREG(status_of(in_dir("d/f")).st_mode));
  assert_int_equal(n_files(), 0); /* in the links' folder */
  assert_int_equal(unlink(in_dir("near")), 0);
  assert_int_equal(symlink("near", in_dir("near")), 0);
  assert_int_equal(save(in_dir("near"), "x"), GA_SYS_ERROR); /* a circle */
  assert_message("near");
  assert_int_equal(unlink(in_dir("near")), 0);
  assert_int_equal(unlink(in_dir("far")), 0);
  assert_int_equal(unlink(in_dir("d/f")), 0);
  assert_int_equal(rmdir(in_dir("d")), 0);
}

static void other_names_see_the_new_bytes(void **state) {
  ga__newfile f;

  (void)state;
  assert_int_equal(save(in_dir("f"), "a longer text"), GA_NO_ERROR);
  assert_int_equal(link(in_dir("f"), in_dir("g")), 0);
  assert_int_equal(save(in_dir("f"), "new"), GA_NO_ERROR);
  assert_holds(in_dir("f"), "new");
  assert_holds(in_dir("g"), "new");
  assert_int_equal(status_of(in_dir("g")).st_nlink, 2);
  /* A save that is given up leaves them alone. */
  assert_int_equal(ga__newfile_open(&f, in_dir("g"), 0), GA_NO_ERROR);
  assert_int_equal(ga__newfile_write(&f, "half", 4), GA_NO_ERROR);
  assert_int_equal(ga__newfile_close(&f, 0), GA_NO_ERROR);
  assert_holds(in_dir("f"), "new");
  assert_int_equal(save_patched(in_dir("g"), "newer"), GA_NO_ERROR);
  assert_holds(in_dir("f"), "newer");
  assert_int_equal(n_files(), 2);
  assert_int_equal(unlink(in_dir("f")), 0);
  assert_int_equal(unlink(in_dir("g")), 0);
}

static void devices_stay_devices(void **state) {
  static const char *const names[] = {"/dev/null", "/dev/full"};

  (void)state;
  for (int i = 0; i < 2; i++) {
    const struct stat before = status_of(names[i]);
    int (*saves[2])(const char *, const char *) = {save, save_patched};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(saves[k](names[i], "text"),
                       i == 0 ? GA_NO_ERROR : GA_SYS_ERROR);
      if (i == 1)
        assert_message("/dev/full");
    }
    const struct stat after = status_of(names[i]);
    assert_true(S_ISCHR(after.st_mode));
    assert_int_equal(after.st_ino, before.st_ino);
    assert_int_equal(after.st_mode, before.st_mode);
  }
}

/* A child reads what comes, and says whether that is right. */
static void check_pipe(int (*to)(const char *, const char *)) {
  static char text[200001], got[200001];
  int status;

  memset(text, 'p', sizeof text - 1);
  assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
  pid_t pid = fork();
  if (pid == 0) {
    FILE *f = fopen(in_dir("pipe"), "rb");
    size_t n = f != NULL ? fread(got, 1, sizeof got, f) : 0;
    _exit(n == sizeof text - 1 && memcmp(text, got, n) == 0 ? 0 : 1);
  }
  assert_int_equal(to(in_dir("pipe"), text), GA_NO_ERROR);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_true(S_ISFIFO(status_of(in_dir("pipe")).st_mode));
  assert_int_equal(n_files(), 0);
  assert_int_equal(unlink(in_dir("pipe")), 0);
}

static void pipes_get_the_bytes(void **state) {
  (void)state;
  check_pipe(save);
  check_pipe(save_patched);
}

static void folders_and_the_forbidden_are_refused(void **state) {
  ga__newfile f;

  (void)state;
  assert_int_equal(save(dir, "x"), GA_SYS_ERROR);
  assert_message("it is a folder");
  assert_int_equal(save(in_dir("none/f"), "x"), GA_SYS_ERROR);
  assert_message("none/f");
  assert_int_equal(ga__newfile_open(&f, NULL, 0), GA_VALUE_ERROR);
  assert_int_equal(save("", "x"), GA_VALUE_ERROR);
  assert_message("an empty path");
  if (geteuid() != 0) { /* who may write anything */
    assert_int_equal(save(in_dir("f"), "old"), GA_NO_ERROR);
    assert_int_equal(chmod(in_dir("f"), 0400), 0);
    assert_int_equal(save(in_dir("f"), "new"), GA_SYS_ERROR);
    assert_holds(in_dir("f"), "old");
    assert_int_equal(unlink(in_dir("f")), 0);
  }
  assert_int_equal(n_files(), 0);
}

/* What can be written as it comes needs no temporary file. */
static void only_patched_pipes_use_temporaries(void **state) {
  const char *tmp = getenv("TMPDIR");
  char *kept = tmp != NULL ? ga__strdup(tmp) : NULL;

  (void)state;
  assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
  const int reader = open(in_dir("pipe"), O_RDWR | O_NONBLOCK);
  assert_true(reader >= 0);
  setenv("TMPDIR", in_dir("none"), 1);
  assert_int_equal(save("/dev/null", "text"), GA_NO_ERROR);
  assert_int_equal(save_patched("/dev/null", "text"), GA_NO_ERROR);
  assert_int_equal(save(in_dir("pipe"), "text"), GA_NO_ERROR);
  assert_int_equal(save_patched(in_dir("pipe"), "text"), GA_SYS_ERROR);
  assert_message("cannot create");
  assert_message("none");
  if (kept != NULL)
    setenv("TMPDIR", kept, 1);
  else
    unsetenv("TMPDIR");
  ga__free(kept);
  close(reader);
  assert_int_equal(unlink(in_dir("pipe")), 0);
}

static int save_cached(const char *path, const char *text) {
  return ga__file_write(path, text, strlen(text), GA_FILE_CACHED);
}

/* Entries of caches: for the owner's eyes only, and links are not followed. */
static void cached_files_are_private(void **state) {
  const mode_t mask = umask(0);

  (void)state;
  assert_int_equal(save(in_dir("f"), "old"), GA_NO_ERROR);
  assert_int_equal(symlink("f", in_dir("near")), 0);
  assert_int_equal(save_cached(in_dir("near"), "new"), GA_NO_ERROR);
  umask(mask);
  assert_true(S_ISREG(status_of(in_dir("near")).st_mode));
  assert_int_equal(status_of(in_dir("near")).st_mode & 07777, 0600);
  assert_holds(in_dir("near"), "new");
  assert_holds(in_dir("f"), "old");
  assert_int_equal(unlink(in_dir("near")), 0);
  assert_int_equal(unlink(in_dir("f")), 0);
}

/* A program that has closed its standard input gets 0 from open. */
static void descriptor_0_is_like_others(void **state) {
  struct stat st;

  (void)state;
  const int input = dup(0);
  close(0);
  int err = save(in_dir("f"), "new");
  if (err == GA_NO_ERROR)
    err = save_patched(in_dir("f"), "newer");
  if (err == GA_NO_ERROR)
    err = save_patched("/dev/null", "text");
  assert_holds(in_dir("f"), "newer");
  const int own = ga__file_open_own(in_dir("f"), O_RDONLY, &st);
  if (own >= 0)
    close(own);
  const int is_free = fcntl(0, F_GETFD) < 0; /* nothing was left open */
  if (input >= 0) {
    dup2(input, 0);
    close(input);
  }
  assert_int_equal(err, GA_NO_ERROR);
  assert_true(own >= 0 && is_free);
  assert_int_equal(n_files(), 1);
  assert_int_equal(unlink(in_dir("f")), 0);
}

/* All temporary names that are tried belong to others, who keep them. */
static void names_of_others_are_not_taken(void **state) {
  enum { N = 200 };
  unsigned int counter = 0;
  char name[N][400];
  ga__newfile f;

  (void)state;
  assert_int_equal(ga__newfile_open(&f, in_dir("f"), 0), GA_NO_ERROR);
  assert_int_equal(sscanf(strrchr(f.tmp.s, '.'), ".%u", &counter), 1);
  assert_int_equal(ga__newfile_close(&f, 0), GA_NO_ERROR);
  for (unsigned int i = 0; i < N; i++) {
    snprintf(name[i], sizeof name[i], "%s.tmp.%ld.%u", in_dir("f"),
             (long)getpid(), counter + 1 + i);
    const int other = open(name[i], O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(other >= 0);
    close(other);
  }
  assert_int_equal(save(in_dir("f"), "new"), GA_SYS_ERROR);
  assert_message("cannot create");
  assert_int_equal(n_files(), N);
  for (unsigned int i = 0; i < N; i++)
    assert_int_equal(unlink(name[i]), 0);
}

/* Save once for each allocation, which fails; returns when all went well. */
static void save_without_memory(int (*to)(const char *, const char *),
                                const char *path, const char *old,
                                const char *text) {
  const long before = ga__alloc_live();
  const int files = n_files();

  for (long nth = 1;; nth++) {
    assert_true(nth < 20);
    ga__alloc_fail(nth, 0);
    const int err = to(path, text);
    if (ga__alloc_fail(0, 0) > 0) {
      assert_int_equal(err, GA_NO_ERROR);
      return;
    }
    assert_int_equal(err, GA_MEMORY_ERROR);
    if (old != NULL)
      assert_holds(path, old);
    assert_int_equal(n_files(), files);
    assert_int_equal(ga__alloc_live(), before);
  }
}

/* The old file stays, and no other. */
static void saves_without_memory_change_nothing(void **state) {
  char f[300], pipe[300];

  (void)state;
  snprintf(f, sizeof f, "%s", in_dir("f"));
  snprintf(pipe, sizeof pipe, "%s", in_dir("pipe"));
  assert_int_equal(save(f, "old"), GA_NO_ERROR);
  assert_int_equal(symlink("f", in_dir("near")), 0);
  save_without_memory(save, in_dir("near"), "old", "new");
  assert_int_equal(unlink(in_dir("near")), 0);
  assert_int_equal(link(f, in_dir("g")), 0); /* copied in place */
  save_without_memory(save_patched, f, "new", "newer");
  save_without_memory(save_cached, f, "newer", "newest");
  assert_holds(in_dir("g"), "newer");
  assert_int_equal(mkfifo(pipe, 0600), 0);
  const int reader = open(pipe, O_RDWR | O_NONBLOCK);
  assert_true(reader >= 0);
  save_without_memory(save_patched, pipe, NULL, "text");
  close(reader);
  assert_int_equal(unlink(pipe), 0);
  assert_int_equal(unlink(in_dir("g")), 0);
  assert_int_equal(unlink(f), 0);
}

/* A stream says why it could not be written, also if that was before. */
static void streams_tell_why(void **state) {
  FILE *full = fopen("/dev/full", "w");

  (void)state;
  if (full == NULL)
    skip();
  assert_int_equal(ga__flushed(full, "the list"), GA_NO_ERROR);
  fputs("text", full);
  assert_int_equal(ga__flushed(full, "the list"), GA_SYS_ERROR);
  assert_string_equal(ga__err_text(GA_SYS_ERROR),
                      "cannot write the list: No space left on device");
  setvbuf(full, NULL, _IONBF, 0);
  fputs("text", full);
  assert_int_equal(ga__flushed(full, "the list"), GA_SYS_ERROR);
  fclose(full);
}

static int make_dir(void **state) {
  const char *top = getenv("TEST_DIR");

  (void)state;
  snprintf(dir, sizeof dir, "%s/write.%ld", top != NULL ? top : "/tmp",
           (long)getpid());
  return ga__dir_make(dir);
}

static int remove_dir(void **state) {
  (void)state;
  return rmdir(dir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(modes_are_kept),
      cmocka_unit_test(owners_are_kept),
      cmocka_unit_test(files_of_others_are_written_in_place),
      cmocka_unit_test(files_that_others_guard_stay),
      cmocka_unit_test(folders_are_trusted_by_owner),
      cmocka_unit_test(links_are_followed),
      cmocka_unit_test(other_names_see_the_new_bytes),
      cmocka_unit_test(devices_stay_devices),
      cmocka_unit_test(pipes_get_the_bytes),
      cmocka_unit_test(folders_and_the_forbidden_are_refused),
      cmocka_unit_test(descriptor_0_is_like_others),
      cmocka_unit_test(names_of_others_are_not_taken),
      cmocka_unit_test(saves_without_memory_change_nothing),
      cmocka_unit_test(only_patched_pipes_use_temporaries),
      cmocka_unit_test(cached_files_are_private),
      cmocka_unit_test(streams_tell_why),
  };

  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
