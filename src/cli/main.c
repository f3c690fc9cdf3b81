/* SPDX-License-Identifier: BSD-2-Clause */
/* The gpugraph program: inspects the installation from a terminal.
 *
 * Each command is a function of (argc, argv) past its name and returns the exit
 * status: 0, 1 for a failure, 2 for wrong usage. */
#include "cli/cli.h"

#include <gpuarray/abi_version.h>
#include <gpuarray/buffer.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: gpugraph <command> [arguments]\n"
    "\n"
    "  devices [name]       list OpenCL devices, and which one would be used\n"
    "  caps [name]          show what was probed on a device\n"
    "  selftest [name]      compute with every kind of kernel and compare\n"
    "  cache [stat|clear]   show or empty the cache of compiled kernels\n"
    "  kernels -o NAME FILE...\n"
    "                       make NAME.c and NAME.h of files of kernels\n"
    "  graph FILE [print|check|dot]\n"
    "                       look at a saved graph, or one written as text\n"
#ifdef GG_HAVE_ONNX
    "  inspect MODEL        what an ONNX model has, and if it is supported\n"
    "  run MODEL [--input NAME=FILE.npy] [--size NAME=N] [--output FOLDER]\n"
    "      [--fix NAME=FILE.npy] [--seed N]\n"
    "                       compute it; other inputs are drawn at random, and\n"
    "                       --fix gives values that decide what is built\n"
    "  bench MODEL [--calls N] [--html FILE] [inputs as for run]\n"
    "                       time calls of it, and show where the time goes\n"
    "  convert FROM TO [--weights DTYPE] [--function NAME]\n"
    "                       an ONNX model (.onnx) to a saved graph, or back,\n"
    "                       with weights stored as float16 and the like\n"
#endif
    "\n"
    "  --version            show versions\n"
    "  --help               show this\n"
    "\n"
    "A device's name is \"opencl<P>:<D>\", \"<P>:<D>\" or a part of what\n"
    "'gpugraph devices' prints; without one $GPUARRAY_DEVICE, then $DEVICE\n"
    "decide. $GPUARRAY_CACHE_PATH moves the cache, GPUARRAY_NO_CACHE=1\n"
    "switches it off.\n";

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {
    {"devices", cli_devices},   {"caps", cli_caps},       {"cache", cli_cache},
    {"selftest", cli_selftest}, {"kernels", cli_kernels}, {"graph", cli_graph},
#ifdef GG_HAVE_ONNX
    {"inspect", cli_inspect},   {"run", cli_run},         {"bench", cli_bench},
    {"convert", cli_convert},
#endif
};

int cli_fail(int err) {
  fprintf(stderr, "gpugraph: %s\n", gpucontext_error(NULL, err));
  return 1;
}

int cli_usage(const char *what) {
  fprintf(stderr, "gpugraph: %s\n\n%s", what, usage);
  return 2;
}

static int print_version(void) {
  printf("gpugraph %s (libgpuarray ABI %d.%d)\n", GG_VERSION,
         GPUARRAY_ABI_VERSION / 1000, GPUARRAY_ABI_VERSION % 1000);
  return 0;
}

static int unknown(const char *word) {
  const char *names[sizeof commands / sizeof *commands + 1] = {NULL};
  char what[160];

  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    names[i] = commands[i].name;
  const char *near = cli_closest(word, names);
  snprintf(what, sizeof what, "unknown command \"%.40s\"%s%s%s", word,
           near == NULL ? "" : "; did you mean ", near == NULL ? "" : near,
           near == NULL ? "" : "?");
  return cli_usage(what);
}

static int run(int argc, char **argv) {
  if (argc < 2)
    return cli_usage("no command");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return printf("%s", usage) < 0;
  if (strcmp(argv[1], "--version") == 0)
    return print_version();
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argc - 2, argv + 2);
  }
  return unknown(argv[1]);
}

int main(int argc, char **argv) {
  int status = run(argc, argv);

  if (fflush(stdout) != 0 && status == 0) {
    perror("gpugraph: standard output");
    return 1;
  }
  return status;
}
