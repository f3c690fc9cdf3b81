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
    "--fix", "NAME=FILE.npy",                                                  \
        "an input of an ONNX model whose value decides what is built", NULL    \
  }
#define SIZE                                                                   \
  { "--size", "NAME=N", "a size that the model leaves open, by its name", NULL }
#define FUNCTION                                                               \
  { "--function", "NAME", "the one of a saved graph to use", NULL }
#define SEED                                                                   \
  { "--seed", "N", "the seed of the inputs that are drawn", NULL }

static const cli_option json_only[] = {JSON, END};

static const char *const cache_words[] = {"stat", "clear", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const cli_option kernels_options[] = {
    {"-o", "NAME", "the path of both files, without .c and .h", NULL}, END};

static const cli_option manual_options[] = {
    {"--output", "FOLDER", "gets all pages, as files gpugraph-COMMAND.1", NULL},
    END};

#ifdef GG_HAVE_ONNX
static const char *const weights[] = {"float16", "bfloat16", "float32",
                                      "float64", NULL};
static const cli_option inspect_options[] = {FIX, SIZE, FUNCTION, JSON, END};
static const cli_option run_options[] = {
    INPUT,
    FIX,
    SIZE,
    FUNCTION,
    SEED,
    {"--output", "FOLDER", "where each output goes, to a file NAME.npy", NULL},
    JSON,
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
    {"--data", "NAME=FILE...",
     "rows of an input, or, with another name, what the output should be: "
     ".npy, FILE.npz:ARRAY, IDX, or columns of numbers, FILE.csv:A..B",
     NULL},
    {"--divide", "NAME=X", "divide an input by X: by 255, bytes are 0 to 1",
     NULL},
    {"--draw", "NAME",
     "begin with random matrices in weights whose names begin so", NULL},
    {"--output", "FILE",
     "gets the trained model: .onnx, a saved graph (.gg), or the weights alone "
     "(.safetensors)",
     NULL},
    {"--optimiser", "NAME",
     "how weights follow their gradients; adam if not given", cli_optimisers},
    {"--rate", "X", "the learning rate; the optimiser's own if not given",
     NULL},
    {"--epochs", "N", "how often all rows are used; 10 if not given", NULL},
    {"--batch", "N", "rows of a step; 32 if neither this nor the model says",
     NULL},
    {"--seed", "N", "the seed of the order of rows", NULL},
    {"--freeze", "NAME", "do not train weights whose names begin so", NULL},
    {"--state", "FILE", "goes on from this file, and keeps it up to date",
     NULL},
    FUNCTION,
    FIX,
    SIZE,
    JSON,
    END};
static const cli_option convert_options[] = {
    {"--weights", "DTYPE", "the dtype in which weights are stored", weights},
    FIX,
    SIZE,
    FUNCTION,
    END};
#endif

const char cli_about_devices[] =
    "A device's name is \"opencl<P>:<D>\", \"<P>:<D>\" or a part of what "
    "'gpugraph devices' prints. Without one $GPUARRAY_DEVICE, then $DEVICE "
    "decide. $GPUARRAY_CACHE_PATH moves the cache of compiled kernels, and "
    "GPUARRAY_NO_CACHE=1 switches it off.";

const char cli_about_status[] =
    "0: all went well. 1: something failed, such as a file, a device or a "
    "write. 2: wrong arguments. Messages go to the standard error.";

const cli_command cli_commands[] = {
    {.heading = "Devices",
     .name = "devices",
     .arguments = "[NAME]",
     .about = "list OpenCL devices, and which one would be used",
     .options = json_only,
     .run = cli_devices},
    {.name = "caps",
     .arguments = "[NAME]",
     .about = "show what was probed on a device",
     .options = json_only,
     .run = cli_caps},
    {.name = "selftest",
     .arguments = "[NAME]",
     .about = "compute with every kind of kernel and compare with the host",
     .details = "The exit status is 0 if all checks passed.",
     .options = json_only,
     .run = cli_selftest},
    {.name = "cache",
     .arguments = "[stat|clear]",
     .about = "show or empty the cache of compiled kernels",
     .words = cache_words,
     .options = json_only,
     .run = cli_cache},
    {.heading = "Models and graphs",
     .name = "graph",
     .arguments = "FILE [print|check|dot]",
     .about = "print, check or draw a saved graph, or one written as text",
     .details = "'print' writes the text of the graph, 'check' reads it and "
                "counts, 'dot' draws it in the language of Graphviz.",
     .example = "gpugraph graph model.gg dot | dot -Tsvg > model.svg",
     .run = cli_graph},
#ifdef GG_HAVE_ONNX
    {.name = "inspect",
     .arguments = "MODEL",
     .about = "tell what a model has, if it is supported, and its arithmetic",
     .details =
         "Needs no device. A product of [m, k] and [k, n] has 2 m k n FLOPs, "
         "and so have the products of a convolution; docs/models.md has all "
         "formulas. What a loop contains counts for each of its iterations. "
         "Bytes are those that each op reads and writes, as if it were a "
         "kernel.",
     .example = "gpugraph inspect model.onnx --size batch=1",
     .options = inspect_options,
     .run = cli_inspect},
    {.name = "run",
     .arguments = "MODEL",
     .about = "compute the outputs of a model",
     .details = "Floats are drawn from 0 to 1; integers and bools are 0 or 1. "
                "A '/' in the name of an output becomes '_' in that of its "
                "file.",
     .example = "gpugraph run model.onnx --input x=x.npy --output results",
     .options = run_options,
     .run = cli_run},
    {.name = "train",
     .arguments = "MODEL",
     .about = "train an ONNX model or a graph on data in files",
     .details =
         "A loss is the mean over a batch: cross-entropy (integers beside "
         "logits or a softmax), binary (probabilities beside logits or a "
         "sigmoid), squared, huber, hinge, or output: then the model computes "
         "its loss itself. Weights are trained if they are floats and the "
         "output depends on them, except for those named running_mean and "
         "running_var. Ctrl-C ends the training; what was trained so far is "
         "written.",
     .example = "gpugraph train model.onnx --loss cross-entropy --data x=x.npy "
                "y=y.npy --output trained.onnx",
     .options = train_options,
     .run = cli_train},
    {.name = "bench",
     .arguments = "MODEL",
     .about = "time calls of a model, and show where time goes",
     .details =
         "Prints the time of the first call, percentiles of later ones, "
         "arithmetic, the limit that the device sets, and a profile by op. The "
         "limit is the time that the bytes and the arithmetic of a call take "
         "at the rates of a large copy and of a large product of float32 on "
         "this device; the longer of the two counts. Calls whose arrays stay "
         "in caches may be faster.",
     .example = "gpugraph bench model.onnx --size batch=64 --html profile.html",
     .options = bench_options,
     .run = cli_bench},
    {.name = "convert",
     .arguments = "FROM TO",
     .about = "make a saved graph of an ONNX model, or the other way round",
     .details = "The name of the model ends in .onnx, and that of the graph "
                "does not.",
     .example = "gpugraph convert model.onnx model.gg --weights float16",
     .options = convert_options,
     .run = cli_convert},
#endif
    {.heading = "Programs in C",
     .name = "kernels",
     .arguments = "FILE...",
     .about = "make C functions of files of OpenCL kernels",
     .details = "Writes NAME.c, with the sources of the kernels, and NAME.h, "
                "with a function of typed arguments for each.",
     .example = "gpugraph kernels -o scale scale.cl",
     .options = kernels_options,
     .run = cli_kernels},
    {.heading = "This program",
     .name = "completion",
     .arguments = "bash|zsh|fish",
     .about = "write a script by which a shell completes",
     .details = "For one session of bash: source <(gpugraph completion bash)",
     .words = shells,
     .run = cli_completion},
    {.name = "manual",
     .arguments = "[COMMAND]",
     .about = "write the manual page of the program or of a command",
     .details = "Installed pages are read by man gpugraph and man "
                "gpugraph-train.",
     .example = "gpugraph manual train | man -l -",
     .options = manual_options,
     .run = cli_manual},
    {.name = "help",
     .arguments = "[COMMAND]",
     .about = "say more about a command",
     .run = cli_help},
    {.name = "version",
     .arguments = "",
     .about = "show versions",
     .options = json_only,
     .run = cli_version},
    {.name = NULL}};
