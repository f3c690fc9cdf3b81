/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands. */
#include "cli/cli.h"
#ifdef GG_HAVE_ONNX
#include "cli/train_words.h"
#endif

#define JSON                                                                   \
  { "--json", NULL, "print one JSON object, for programs", NULL }
#define END                                                                    \
  { NULL, NULL, NULL, NULL }

#define INPUT                                                                  \
  {                                                                            \
    "--input", "NAME=FILE.npy",                                                \
        "elements of an input; others are drawn at random", NULL               \
  }
#define FIX                                                                    \
  {                                                                            \
    "--fix", "NAME=FILE.npy", "an input whose value decides what is built",    \
        NULL                                                                   \
  }
#define SIZE                                                                   \
  { "--size", "NAME=N", "a size that an ONNX model leaves open", NULL }
#define FUNCTION                                                               \
  { "--function", "NAME", "the one of a saved graph to use", NULL }
#define SEED                                                                   \
  { "--seed", "N", "of the inputs that are drawn at random", NULL }

static const cli_option json_only[] = {JSON, END};

static const char *const cache_words[] = {"stat", "clear", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const cli_option kernels_options[] = {
    {"-o", "NAME", "the path of both files, without .c and .h", NULL}, END};

#ifdef GG_HAVE_ONNX
static const char *const weights[] = {"float16", "bfloat16", "float32",
                                      "float64", NULL};
static const cli_option inspect_options[] = {SIZE, FUNCTION, JSON, END};
static const cli_option run_options[] = {
    INPUT,
    FIX,
    SIZE,
    FUNCTION,
    SEED,
    {"--output", "FOLDER", "where each output goes, to a file NAME.npy", NULL},
    END};
static const cli_option bench_options[] = {
    INPUT,
    FIX,
    SIZE,
    FUNCTION,
    SEED,
    {"--calls", "N", "how many calls are measured; 100 if not given", NULL},
    {"--html", "FILE", "write the profile as a page", NULL},
    JSON,
    END};
static const cli_option train_options[] = {
    {"--loss", "LOSS", "what is to become small", cli_losses},
    {"--data", "NAME=FILE.npy...",
     "rows of an input, or, with another name, what the output should be",
     NULL},
    {"--output", "FILE",
     "gets the trained model: .onnx, a saved graph (.gg), or the weights alone "
     "(.safetensors)",
     NULL},
    {"--optimiser", "NAME", "adam if not given", cli_optimisers},
    {"--rate", "X", "the learning rate; the optimiser's own if not given",
     NULL},
    {"--epochs", "N", "how often all rows are used; 10 if not given", NULL},
    {"--batch", "N", "rows of a step; 32 if neither this nor the model says",
     NULL},
    {"--seed", "N", "of the order of rows", NULL},
    {"--freeze", "NAME", "do not train weights whose names begin so", NULL},
    {"--state", "FILE", "goes on from this file, and keeps it up to date",
     NULL},
    FUNCTION,
    SIZE,
    END};
static const cli_option convert_options[] = {
    {"--weights", "DTYPE", "the dtype in which weights are stored", weights},
    FUNCTION,
    END};
#endif

const char cli_about_devices[] =
    "A device's name is \"opencl<P>:<D>\", \"<P>:<D>\" or a part of what "
    "'gpugraph devices' prints. Without one $GPUARRAY_DEVICE, then $DEVICE "
    "decide. $GPUARRAY_CACHE_PATH moves the cache of compiled kernels, and "
    "GPUARRAY_NO_CACHE=1 switches it off.";

const cli_command cli_commands[] = {
    {"devices", "[NAME]", "list OpenCL devices, and which one would be used",
     NULL, NULL, json_only, cli_devices},
    {"caps", "[NAME]", "show what was probed on a device", NULL, NULL, NULL,
     cli_caps},
    {"selftest", "[NAME]",
     "compute with every kind of kernel and compare with the host",
     "The exit status is 0 if all checks passed.", NULL, NULL, cli_selftest},
    {"cache", "[stat|clear]", "show or empty the cache of compiled kernels",
     NULL, cache_words, json_only, cli_cache},
    {"kernels", "FILE...", "make C functions of files of kernels",
     "Writes NAME.c, with the sources of the kernels, and NAME.h, with a "
     "function of typed arguments for each.",
     NULL, kernels_options, cli_kernels},
    {"graph", "FILE [print|check|dot]",
     "look at a saved graph, or one written as text",
     "'print' writes the text of the graph, 'check' reads it and counts, 'dot' "
     "draws it in the language of Graphviz.",
     NULL, NULL, cli_graph},
#ifdef GG_HAVE_ONNX
    {"inspect", "MODEL",
     "what a model has, if it is supported, and its arithmetic",
     "Needs no device. A product of [m, k] and [k, n] has 2 m k n FLOPs, and "
     "so "
     "have the products of a convolution; bytes are those that each op reads "
     "and writes, as if it were a kernel.",
     NULL, inspect_options, cli_inspect},
    {"run", "MODEL", "compute the outputs of a model",
     "Floats are drawn from 0 to 1; integers and bools are 0 or 1. A '/' in "
     "the "
     "name of an output becomes '_' in that of its file.",
     NULL, run_options, cli_run},
    {"bench", "MODEL", "time calls of a model, and show where time goes",
     "Prints the time of the first call, percentiles of later ones, arithmetic "
     "and a profile by op.",
     NULL, bench_options, cli_bench},
    {"train", "MODEL", "train an ONNX model or a saved graph on data in files",
     "A loss is the mean over a batch: cross-entropy (integers beside logits "
     "or a softmax), binary (probabilities beside logits or a sigmoid), "
     "squared, huber, hinge, or output: then the model computes its loss "
     "itself. Weights are trained if they are floats and the output depends on "
     "them, except for those named running_mean and running_var. Ctrl-C ends "
     "the training; what was trained so far is written.",
     NULL, train_options, cli_train},
    {"convert", "FROM TO", "an ONNX model to a saved graph, or back",
     "The name of the model ends in .onnx, and that of the graph does not.",
     NULL, convert_options, cli_convert},
#endif
    {"completion", "bash|zsh|fish", "write a script by which a shell completes",
     "For one session of bash: source <(gpugraph completion bash)", shells,
     NULL, cli_completion},
    {"manual", "", "write the manual page",
     "To read it: gpugraph manual | "
     "man -l -",
     NULL, NULL, cli_manual},
    {"help", "[COMMAND]", "say more about a command", NULL, NULL, NULL,
     cli_help},
    {"version", "", "show versions", NULL, NULL, NULL, cli_version},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL}};
