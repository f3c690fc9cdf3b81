# SPDX-License-Identifier: BSD-2-Clause
# The gpugraph program, by what it prints and how it exits.
if(NOT TARGET gpugraph_cli)
  return()
endif()

set(cli_dir ${PROJECT_BINARY_DIR}/test-data/cli)
set(cli_pocl ${kernel_cache}/cli/pocl)
file(MAKE_DIRECTORY ${cli_dir} ${cli_pocl}/words ${cli_pocl}/train
  ${cli_pocl}/train_all)

# Run the program with `arguments`; it must exit with 0 and print `expected`.
# ARGN goes in front of the command.
function(gg_cli_test name arguments expected)
  add_test(NAME cli_${name}
    COMMAND ${ARGN} $<TARGET_FILE:gpugraph_cli> ${arguments})
  set_tests_properties(cli_${name} PROPERTIES
    LABELS "cli;device"
    PASS_REGULAR_EXPRESSION "${expected}"
    SKIP_REGULAR_EXPRESSION "there is no OpenCL platform|no usable device;"
    ENVIRONMENT "${test_environment};POCL_CACHE_DIR=${cli_pocl};GPUARRAY_CACHE_PATH=${cli_dir}/cache")
endfunction()

# Run check_<name>.sh with the program and ARGN.
function(gg_cli_script name)
  add_test(NAME cli_check_${name}
    COMMAND ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_${name}.sh
    $<TARGET_FILE:gpugraph_cli> ${ARGN})
  set_tests_properties(cli_check_${name} PROPERTIES LABELS "cli;device"
    TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "${test_environment};POCL_CACHE_DIR=${cli_pocl}/${name};GPUARRAY_CACHE_PATH=${cli_dir}/cache")
endfunction()

gg_cli_test(version "--version" "gpugraph ${PROJECT_VERSION}")
gg_cli_test(help "--help" "usage: gpugraph COMMAND")
gg_cli_test(devices "devices" "opencl[0-9]+:[0-9].*uses opencl")
gg_cli_test(devices_unknown "devices;xyzzy" "no device \"xyzzy\"")
gg_cli_test(caps "caps" "work-group +[0-9]+ items.*double +(yes|no)")
gg_cli_test(selftest "selftest" "gemm +float32 .* ok.*all checks passed")
gg_cli_test(selftest_unknown "selftest;xyzzy" "no device \"xyzzy\"")
gg_cli_test(cache_stat "cache" "test-data/cli/cache.*[0-9]+ files")
gg_cli_test(cache_clear "cache;clear" "removed [0-9]+ files")
gg_cli_test(kernels_without_o "kernels;eye.kernels" "kernels needs -o.*usage:")
gg_cli_test(kernels_odd_name "kernels;-o;x-y;eye.kernels" "not a C identifier")
gg_cli_test(kernels_no_file "kernels;-o;x;/nowhere/at.k" "/nowhere/at.k")
gg_cli_test(kernels_bad_file "kernels;-o;x;${PROJECT_SOURCE_DIR}/README.md"
  "README.md:1: expected #section, got")
gg_cli_test(graph "graph;${CMAKE_CURRENT_LIST_DIR}/model.txt"
  "cost = div.*function predict.x. -> .p.")
gg_cli_test(graph_check "graph;${CMAKE_CURRENT_LIST_DIR}/model.txt;check"
  "[0-9]+ variables, 2 functions")
# A full device and files of no size that have bytes are said to be so.
foreach(action print check dot)
  add_test(NAME cli_graph_${action}_full
    COMMAND sh -c "'$<TARGET_FILE:gpugraph_cli>' graph '${CMAKE_CURRENT_LIST_DIR}/model.txt' ${action} > /dev/full")
  set_tests_properties(cli_graph_${action}_full PROPERTIES LABELS "cli;host"
    PASS_REGULAR_EXPRESSION "gpugraph: cannot write[a-z ]*: No space")
endforeach()
gg_cli_test(graph_proc "graph;/proc/self/status" "not a regular file")
gg_cli_test(graph_dot "graph;${CMAKE_CURRENT_LIST_DIR}/model.txt;dot"
  "digraph.*softmax")
gg_cli_test(graph_no_file "graph;/nowhere/at.gg" "cannot open /nowhere/at.gg")
gg_cli_test(graph_bad_file "graph;${PROJECT_SOURCE_DIR}/LICENSE"
  "LICENSE:1:5: expected")
gg_cli_test(graph_usage "graph" "graph takes a file")
if(TARGET gpugraph_onnx)
  set(models ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/onnx)
  # For tests that need no device, but files that were made with one.
  set(if_device ${with_device} $<TARGET_FILE:gpugraph_cli>)
  gg_cli_test(inspect "inspect;${models}/mul"
    "opset 18.*input \"x\": float.batch, 3.*all nodes are supported")
  gg_cli_test(inspect_unknown "inspect;${models}/unknown"
    "Frobnicate, opset 18, at byte [0-9]+.: this op is not supported")
  gg_cli_test(inspect_size "inspect;${models}/mul;--size;batch=2"
    "1 tensors .12 B.*weights: 1 tensors, 12 B.* mul +1 +6 +60 B.* in all +2 +6 +60 B")
  gg_cli_test(inspect_open "inspect;${models}/mul"
    "1 nodes are not counted: their sizes are open .--size NAME=N.")
  gg_cli_test(inspect_convolution "inspect;${models}/convolutions"
    " conv_input +1 +900 .* conv +1 +324 ")
  gg_cli_test(inspect_attention "inspect;${models}/attention"
    " batched_dot +2 +288 .* in all +40 +678 +3.742 KiB")
  gg_cli_test(inspect_graph
    "inspect;${CMAKE_CURRENT_LIST_DIR}/model.txt;--function;test"
    "function test.*input \"x\": float32.., 784..*output \"p\": .*weights: 2 tensors, 30.66 KiB.* dot +1 .*sizes are open")
  gg_cli_test(inspect_costs "inspect;${CMAKE_CURRENT_LIST_DIR}/costs.txt;--function;f"
    "dot +1 +49.2 k .*tanh +1 +9.22 k .*rfft +1 +2.4 k .*qr +1 +1.37 k .*triangular_solve +1 +512 .*lu +1 +341 .*cholesky +1 +171 .*sort +1 +0 .*scan +1 +0 ")
  gg_cli_test(inspect_uncounted
    "inspect;${CMAKE_CURRENT_LIST_DIR}/costs.txt;--function;open"
    "irfft +1 +2.4 k .*lu_solve +1 +1.02 k .*svd +1 +- .*1 nodes are not counted: their sizes are open.*arithmetic of 1 nodes .-. is not counted")
  gg_cli_test(inspect_no_file "inspect;/nowhere/at.onnx" "cannot .* /nowhere")
  gg_cli_test(run "run;${models}/mul;--size;batch=2;--output;${cli_dir}/run"
    "1 inputs drawn at random with --seed 1.*y: float32.2, 3.")
  gg_cli_test(run_input
    "run;${models}/mul;--input;x=${cli_dir}/run/y.npy;--size;batch=2"
    "^y: float32.2, 3.")
  set_tests_properties(cli_run_input PROPERTIES DEPENDS cli_run)
  gg_cli_test(run_open "run;${models}/mul" "dim 0 of .* give --size batch=N")
  gg_cli_test(run_no_input "run;${models}/mul;--input;z=f;--size;batch=2"
    "has no input \"z\"")
  gg_cli_test(run_one_file "run;${models}/one_file;--output;${cli_dir}/run"
    "outputs \"a/b\" and \"a_b\" need one file .*/run/a_b.npy")
  gg_cli_test(run_graph
    "run;${CMAKE_CURRENT_LIST_DIR}/train/fixed.txt;--output;${cli_dir}/graph"
    "1 inputs drawn at random with --seed 1.*p: float32.64, 1.")
  # NumPy has no bfloat16: files have float32.
  set(square ${CMAKE_CURRENT_LIST_DIR}/bfloat.txt)
  gg_cli_test(write_bfloat "run;${square};--output;${cli_dir}/bfloat"
    "y: bfloat16.4.")
  gg_cli_test(read_bfloat
    "run;${square};--input;x=${cli_dir}/bfloat/y.npy;--output;${cli_dir}/bfloat"
    "^y: bfloat16.4.")
  set_tests_properties(cli_read_bfloat PROPERTIES DEPENDS cli_write_bfloat)
  # An input that decides what is built: of a file that the program writes.
  gg_cli_test(write_axes
    "run;${CMAKE_CURRENT_LIST_DIR}/axes.txt;--output;${cli_dir}/axes" "a: int64.1.")
  set(fix --fix a=${cli_dir}/axes/a.npy --size b=3)
  gg_cli_test(run_fix "run;${models}/axes;${fix};--size;a=2;--size;c=4;--seed;7;--json"
    "\"drawn_inputs\": 1,.*\"seed\": 7,.*\"shape\": .[ \n]*2,[ \n]*4[ \n]*.")
  gg_cli_test(inspect_unfixed "inspect;${models}/axes"
    "input \"a\": int64.1.*output \"y\": float.*values of \"a\" .input 1. are not known")
  gg_cli_test(inspect_fix
    "inspect;${models}/axes;${fix};--size;a=2;--size;c=4"
    "all nodes are supported.* reduce +1 +24 +128 B")
  gg_cli_test(inspect_fix_rank "inspect;${models}/axes;--fix;x=${cli_dir}/axes/a.npy"
    "value for \"x\" has dtype int64 and 1 dimensions")
  file(COPY_FILE ${models}/axes ${cli_dir}/axes.onnx)
  gg_cli_test(convert_fix "convert;${cli_dir}/axes.onnx;${cli_dir}/axes.gg;${fix}"
    "^$")
  foreach(after run_fix inspect_fix inspect_fix_rank convert_fix)
    set_tests_properties(cli_${after} PROPERTIES DEPENDS cli_write_axes)
  endforeach()
  gg_cli_test(convert_fixed "graph;${cli_dir}/axes.gg"
    "x = input float32.., 3, ...*reduce.op=sum, axes=.1..*function model.x. -> .y."
    ${if_device})
  set_tests_properties(cli_convert_fixed PROPERTIES DEPENDS cli_convert_fix)
  foreach(command inspect run bench convert train)
    gg_cli_test(${command}_twice "${command};m.onnx;--size;n=1;--size;n=2"
      "--size n= is given twice.*usage: gpugraph ${command}")
  endforeach()
  gg_cli_test(run_input_twice "run;m.onnx;--input;x=a;--input;y=b;--input;x=c"
    "--input x= is given twice")
  gg_cli_test(run_fix_twice "run;m.onnx;--fix;x=a;--fix;x=c"
    "--fix x= is given twice")
  gg_cli_test(run_graph_open "run;${CMAKE_CURRENT_LIST_DIR}/train/line.txt"
    "dim 0 of input \"x\" is open: give --input x=FILE.npy")
  gg_cli_test(run_graph_size
    "run;${CMAKE_CURRENT_LIST_DIR}/train/line.txt;--size;x=2"
    "line.txt: no size has the name \"x\"")
  gg_cli_test(run_graph_fix
    "run;${CMAKE_CURRENT_LIST_DIR}/train/line.txt;--fix;x=x.npy"
    "--fix is for ONNX models, and .*line.txt is a graph")
  set(sizes ${CMAKE_CURRENT_LIST_DIR}/sizes.txt)
  gg_cli_test(run_named_open "run;${sizes};--size;n=2"
    "dim 1 of input \"x\" is open: give --size t=N or --input x=FILE.npy")
  gg_cli_test(run_named "run;${sizes};--size;n=2;--size;t=5"
    "2 inputs drawn .*y: float32.2, 5, 3.")
  gg_cli_test(inspect_named "inspect;${sizes};--size;t=5"
    "input \"x\": float32.n, 5, 3..*input \"b\": float32.5, 3..*output \"y\": float32.., 5, 3..*are open .--size NAME=N.")
  gg_cli_test(inspect_named_json "inspect;${sizes};--json"
    "\"function\": \"f\",.*\"name\": \"x\",.*\"type\": \"float32\",.*\"n\",.*\"t\",.*3")
  gg_cli_test(run_graph_function
    "run;${CMAKE_CURRENT_LIST_DIR}/model.txt;--function;tets"
    "has no function tets")
  gg_cli_test(run_no_size "run;${models}/mul;--size;bach=2"
    "no size has the name \"bach\"")
  gg_cli_test(run_wrong_option "run;${models}/mul;--siez;batch=2"
    "run has no option --siez; did you mean --size\\?")
  gg_cli_test(bench
    "bench;${models}/mul;--size;batch=2;--calls;5;--html;${cli_dir}/bench.html"
    "first call: .*5 calls, in milliseconds: least .*1 kernels a call, 0 of them on the host; .*GFLOP/s.*map{mul}")
  gg_cli_test(bench_html_folder
    "bench;${models}/mul;--size;batch=2;--calls;1;--html;${cli_dir}"
    "cannot write .*test-data/cli: it is a folder")
  gg_cli_test(bench_no_calls "bench;${models}/mul;--calls;0"
    "--calls takes 1 to 1000000, got 0")
  gg_cli_test(bench_usage "bench" "bench takes a model.*usage:")
  file(COPY_FILE ${models}/mul ${cli_dir}/mul.onnx)
  gg_cli_test(convert
    "convert;${cli_dir}/mul.onnx;${cli_dir}/mul.gg;--weights;float16" "^$")
  gg_cli_test(convert_back "convert;${cli_dir}/mul.gg;${cli_dir}/back.onnx"
    "^$")
  set_tests_properties(cli_convert_back PROPERTIES DEPENDS cli_convert)
  gg_cli_test(convert_text "graph;${cli_dir}/mul.gg"
    "w = shared float16.3.*x = input float32.batch, 3..*cast.dtype=float32..w.*function model.x. -> .y."
    ${if_device})
  gg_cli_test(convert_inspect "inspect;${cli_dir}/back.onnx"
    "made by gpugraph.*input \"x\": float.batch, 3..*output \"y\": float.*all nodes are supported"
    ${if_device})
  set_tests_properties(cli_convert_text PROPERTIES DEPENDS cli_convert)
  set_tests_properties(cli_convert_inspect PROPERTIES DEPENDS cli_convert_back)
  # A trained model has the names of the one before.
  gg_cli_test(train_names
    "train;${models}/mul;--loss;squared;--data;x=${cli_dir}/run/y.npy;t=${cli_dir}/run/y.npy;--epochs;1;--output;${cli_dir}/trained.onnx"
    "1 steps in .*trained.onnx")
  gg_cli_test(train_named "inspect;${cli_dir}/trained.onnx"
    "input \"x\": float.batch, 3.*output \"y\": float" ${if_device})
  set_tests_properties(cli_train_names PROPERTIES DEPENDS cli_run)
  set_tests_properties(cli_train_named PROPERTIES DEPENDS cli_train_names)
  gg_cli_test(convert_functions
    "convert;${CMAKE_CURRENT_LIST_DIR}/model.txt;${cli_dir}/none.onnx"
    "several functions: name one with --function")
  gg_cli_test(convert_weights
    "convert;${cli_dir}/mul.onnx;${cli_dir}/x.gg;--weights;flaot16"
    "--weights takes float16, .* or float64, got flaot16; did you mean float16\\?")
  gg_cli_test(convert_same "convert;a.onnx;b.onnx"
    "one of a.onnx and b.onnx should end in .onnx")
  gg_cli_test(convert_usage "convert;a.onnx" "convert takes two files.*usage:")
  gg_cli_test(run_usage "run;--size;batch=2" "run takes a model.*usage:")
  gg_cli_test(run_bad_size "run;${models}/mul;--size;batch=two"
    "\"two\" is not a number")
endif()
gg_cli_test(wrong_command "frobnicate" "unknown command \"frobnicate\".*usage:")
gg_cli_test(near_command "device" "unknown command \"device\"; did you mean devices\\?")
string(REPEAT x 100 long_word)
gg_cli_test(long_command "${long_word}" "unknown command \"x+\"\n\nusage:")
gg_cli_test(no_command "" "no command.*usage:")

gg_cli_test(cache_near "cache;claer"
  "cache takes stat or clear, got claer; did you mean clear\\?")
gg_cli_test(graph_near "graph;f;chek"
  "graph takes print, check or dot, got chek; did you mean check\\?")
gg_cli_test(devices_two "devices;a;b" "devices takes one .NAME., got b, too")
gg_cli_test(version_argument "version;a" "version takes no argument, got a")
gg_cli_test(devices_option "devices;--jsno"
  "devices has no option --jsno; did you mean --json\\?.*usage: gpugraph devices")
gg_cli_test(flag_value "devices;--json=1" "--json takes no value, got 1")
gg_cli_test(option_value "run;m;--size" "--size needs a value: NAME=N")
gg_cli_test(help_unknown "help;benhc" "unknown command \"benhc\"; did you mean bench")
gg_cli_test(help_options "run;x;--help" "usage: gpugraph run MODEL.*--seed N +the seed of the inputs")
gg_cli_test(manual_unknown "manual;trian" "unknown command \"trian\"; did you mean train")
gg_cli_test(manual_folder "manual;--output;/nowhere/at/all" "cannot make /nowhere/at/all")

# Help of all commands in narrow terminals, scripts for shells, the manual page,
# JSON, and output that cannot be written.
add_test(NAME cli_words COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_words.sh
  $<TARGET_FILE:gpugraph_cli> $<$<TARGET_EXISTS:gpugraph_onnx>:${models}/mul>)
set_tests_properties(cli_words PROPERTIES LABELS "cli;device"
  TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77
  ENVIRONMENT "${test_environment};POCL_CACHE_DIR=${cli_pocl}/words;GPUARRAY_CACHE_PATH=${cli_dir}/cache")

if(TARGET gpugraph_onnx)
  gg_cli_script(bench ${models}/attention)
  gg_cli_script(progress ${models}/mul
    ${CMAKE_CURRENT_BINARY_DIR}/libfault_layer.so)
endif()

# With "all", kernels of cross-entropy and other optimisers are compiled, too.
if(TARGET gpugraph_onnx)
  set(train_environment ${test_environment})
  if(GPUGRAPH_QUICK_TESTS)
    list(APPEND train_environment ${pocl_general})
  endif()
  foreach(test train train_all)
    string(REGEX REPLACE "^train_?" "" all ${test})
    add_test(NAME cli_${test} COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_train.sh
      $<TARGET_FILE:gpugraph_cli> ${CMAKE_CURRENT_LIST_DIR}/train ${all})
    set_tests_properties(cli_${test} PROPERTIES LABELS "cli;device"
      TIMEOUT ${test_timeout} SKIP_RETURN_CODE 77
      ENVIRONMENT "${train_environment};POCL_CACHE_DIR=${cli_pocl}/${test};GPUARRAY_CACHE_PATH=${cli_dir}/cache")
  endforeach()
  set_tests_properties(cli_train_all PROPERTIES LABELS "cli;device;full")
endif()

# The exit status tells too.
foreach(arguments "devices;xyzzy" "frobnicate" "cache;frobnicate"
    "kernels;-o;x;nothing")
  string(REPLACE ";" "_" name "fails_${arguments}")
  add_test(NAME cli_${name} COMMAND gpugraph_cli ${arguments})
  set_tests_properties(cli_${name} PROPERTIES LABELS "cli;device" WILL_FAIL ON)
endforeach()

# After the self-test, whose kernels it uses.
add_test(NAME cli_selftest_killed COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_mark.sh
  $<TARGET_FILE:gpugraph_cli> ${CMAKE_CURRENT_BINARY_DIR}/libfault_layer.so)
set_tests_properties(cli_selftest_killed PROPERTIES
  LABELS "cli;device" DEPENDS cli_selftest SKIP_RETURN_CODE 77
  TIMEOUT ${test_timeout}
  ENVIRONMENT "${test_environment};POCL_CACHE_DIR=${cli_pocl};GPUARRAY_CACHE_PATH=${cli_dir}/cache")
