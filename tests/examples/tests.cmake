# SPDX-License-Identifier: BSD-2-Clause
# The example programs; some do less work than by default.
set(fashion_data /usr/share/datasets/fashion-mnist)
if(TARGET example_check)
  gg_test(example_check "examples;device" example_check 50)
endif()
if(TARGET example_custom_op)
  gg_test(example_custom_op "examples;device" example_custom_op)
endif()
# Lines of code: programs of the training kit stay on a page.
foreach(page perceptron:45 pictures:60 gaussian_process:40)
  string(REPLACE ":" ";" page ${page})
  list(GET page 0 name)
  list(GET page 1 most)
  add_test(NAME example_${name}_lines
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_lines.sh
      ${PROJECT_SOURCE_DIR}/docs/examples/${name}.c ${most})
  set_tests_properties(example_${name}_lines PROPERTIES LABELS "examples;host")
endforeach()
set(op_examples op_double op_double_kernel op_multiply op_two_outputs op_strided
  op_eye op_gemm op_gradient own_rules op_state op_foreign dropout gaussian_process
  conv_nets conjugate_gradients gmres ridge_regression kalman poisson)
if(NOT GPUGRAPH_QUICK_TESTS) # many kernels
  list(APPEND op_examples page_rank graph_network)
endif()
if(NOT GPUGRAPH_SANITIZE AND NOT GPUGRAPH_QUICK_TESTS) # clFFT's own kernels
  list(APPEND op_examples op_fft)
endif()
if(TARGET gpugraph_cli)
  # clFFT ends the process where groups or local memory are small.
  set(needs_op_fft ${with_caps} work_group_items=64 local_bytes=8192 --)
  # The images of the trainings are one buffer of 46 MiB.
  set(needs_images ${with_caps} buffer_bytes=48234496 --)
endif()
foreach(name IN LISTS op_examples)
  if(TARGET example_${name})
    gg_test(example_${name} "examples;device" ${needs_${name}}
      $<TARGET_FILE:example_${name}>)
  endif()
endforeach()
if(TARGET example_gamma_fit AND TARGET gpugraph_cli)
  gg_test(example_gamma_fit "examples;device" ${with_double}
    $<TARGET_FILE:gpugraph_cli> $<TARGET_FILE:example_gamma_fit>)
endif()
if(TEST example_op_fft) # the compiler warns of clFFT's kernels
  set_property(TEST example_op_fft test_op_fft PROPERTY FAIL_REGULAR_EXPRESSION)
  target_include_directories(test_op_fft SYSTEM PRIVATE ${CLFFT_INCLUDE_DIR})
  target_link_libraries(test_op_fft PRIVATE ${CLFFT_LIBRARY} OpenCL::OpenCL)
elseif(TARGET test_op_fft)
  set_target_properties(test_op_fft PROPERTIES EXCLUDE_FROM_ALL ON)
  set_tests_properties(test_op_fft PROPERTIES DISABLED ON)
endif()
if(TARGET example_op_eye_file)
  gg_test(example_op_eye_file "examples;device" example_op_eye_file
    ${PROJECT_SOURCE_DIR}/docs/examples/op_eye_file.kernels)
  list(APPEND op_examples op_eye_file)
endif()
list(TRANSFORM op_examples PREPEND example_)
if(TARGET example_logistic)
  gg_test(example_logistic "examples;device" example_logistic 100)
endif()
if(GPUGRAPH_SANITIZE OR GPUGRAPH_QUICK_TESTS) # a step is like the one before
  target_compile_definitions(test_logistic PRIVATE LOGISTIC_STEPS=500)
endif()
if(TARGET example_logistic_two)
  gg_test(example_logistic_two "examples;device" ${CMAKE_COMMAND} -E env
    "POCL_DEVICES=pthread basic" GPUARRAY_DEVICE=pthread GPUARRAY_DEVICE2=basic
    $<TARGET_FILE:example_logistic_two> 50)
endif()
set_property(TEST test_logistic_two APPEND PROPERTY ENVIRONMENT
  "POCL_DEVICES=pthread basic" GPUARRAY_DEVICE=pthread GPUARRAY_DEVICE2=basic)
if(TARGET example_fashion AND EXISTS ${fashion_data})
  gg_test(example_fashion "examples;device" ${needs_images}
    $<TARGET_FILE:example_fashion> --epochs 1
    --data ${fashion_data}
    --report ${PROJECT_BINARY_DIR}/test-data/example_fashion/report.html)
endif()
# The whole training, a minute on two cores: fashion_mlp --accuracy 0.88
if(TARGET example_fashion_mlp AND EXISTS ${fashion_data})
  gg_test(example_fashion_mlp "examples;device" ${needs_images}
    $<TARGET_FILE:example_fashion_mlp> --steps 100
    --loss 0.6 --data ${fashion_data})
  # It tells of a missing device as programs do, in the words of the library.
  set_property(TEST example_fashion_mlp PROPERTY SKIP_REGULAR_EXPRESSION
    "there is no OpenCL platform|no usable device;")
endif()
# The whole training, minutes on two cores: fashion_cnn --accuracy 0.915
if(TARGET example_fashion_cnn AND EXISTS ${fashion_data})
  gg_test(example_fashion_cnn "examples;device" ${needs_images}
    $<TARGET_FILE:example_fashion_cnn> --steps 30
    --tests 200 --loss 1.6 --data ${fashion_data}
    --report ${PROJECT_BINARY_DIR}/test-data/example_fashion_cnn/report.html)
  set_property(TEST example_fashion_cnn PROPERTY SKIP_REGULAR_EXPRESSION
    "there is no OpenCL platform|no usable device;")
endif()
if(TARGET example_fashion_tune AND EXISTS ${fashion_data})
  gg_test(example_fashion_tune "examples;device" ${needs_images}
    $<TARGET_FILE:example_fashion_tune>
    --steps 300 --accuracy 0.65 --data ${fashion_data}
    --output ${PROJECT_BINARY_DIR}/test-data/example_fashion_tune/tuned.onnx)
  set_property(TEST example_fashion_tune PROPERTY SKIP_REGULAR_EXPRESSION
    "there is no OpenCL platform|no usable device;")
endif()
if(TEST example_fashion)
  add_test(NAME example_fashion_bad_data
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_bad_data.sh
      $<TARGET_FILE:example_fashion> ${fashion_data}
      ${PROJECT_BINARY_DIR}/test-data/example_fashion)
  set_tests_properties(example_fashion_bad_data PROPERTIES LABELS examples)
endif()
# The report pages, with points of the curve, and pictures in sections.
find_program(BROWSER NAMES chromium chromium-browser)
mark_as_advanced(BROWSER)
if(NOT BROWSER)
  message(STATUS "No chromium: the report pages are not opened")
endif()
function(gg_check_report name)
  if(NOT TEST ${name} OR NOT BROWSER)
    return()
  endif()
  set(dir ${PROJECT_BINARY_DIR}/test-data/${name})
  add_test(NAME ${name}_report
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_report.sh ${BROWSER}
      ${dir}/report.html ${dir} ${ARGN})
  set_tests_properties(${name}_report PROPERTIES
    LABELS examples DEPENDS ${name} SKIP_RETURN_CODE 77)
endfunction()
gg_check_report(example_fashion 100)
gg_check_report(example_fashion_cnn 30 filters:32 mistakes:24)
foreach(name example_check example_custom_op example_logistic
    example_logistic_two example_fashion
    ${op_examples})
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES
      SKIP_REGULAR_EXPRESSION "no device: ")
  endif()
endforeach()

# Loops.
if(TARGET example_newton)
  gg_test(example_newton "examples;device" example_newton)
endif()
if(TARGET example_mandelbrot)
  gg_test(example_mandelbrot "examples;device" example_mandelbrot)
endif()

# Fourier transforms.
if(TARGET example_heat)
  gg_test(example_heat "examples;device" example_heat)
  set(sounds ${PROJECT_BINARY_DIR}/test-data/example_spectrogram/tmp)
  gg_test(example_spectrogram "examples;device" example_spectrogram ${sounds})
  gg_test(example_spectrogram_bad "examples;host" example_spectrogram
    ${CMAKE_CURRENT_LIST_FILE} ${sounds}/none.npy)
  set_tests_properties(example_spectrogram_bad PROPERTIES WILL_FAIL ON)
endif()

if(TARGET example_characters) # test_characters makes more steps
  gg_test(example_characters "examples;device" example_characters
    /usr/share/common-licenses/GPL-3 10)
  set_tests_properties(example_characters PROPERTIES
    SKIP_REGULAR_EXPRESSION "no device: ")
endif()

# One process trains and saves, another loads.
if(TARGET example_save_model)
  set(model ${PROJECT_BINARY_DIR}/test-data/example_save_model/model.gg)
  gg_test(example_save_model_train "examples;device"
    example_save_model train ${model})
  gg_test(example_save_model "examples;device"
    example_save_model predict ${model})
  set_tests_properties(example_save_model_train PROPERTIES
    FIXTURES_SETUP saved_model SKIP_REGULAR_EXPRESSION "no device: ")
  set_tests_properties(example_save_model PROPERTIES
    FIXTURES_REQUIRED saved_model SKIP_REGULAR_EXPRESSION "no device: ")
endif()

# Two libraries in one Python: the system's, because Debian's are built for it.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(SYSTEM_PYTHON)
if(SYSTEM_PYTHON AND NOT GPUGRAPH_SANITIZE)
  gg_test(example_share_pyopencl "examples;device" ${CMAKE_COMMAND} -E env
    LD_LIBRARY_PATH=${PROJECT_BINARY_DIR} ${SYSTEM_PYTHON}
    ${PROJECT_SOURCE_DIR}/docs/examples/share_pyopencl.py)
endif()

# One process and several take the same steps.
if(TARGET example_fashion_parallel AND EXISTS ${fashion_data} AND
   MPIEXEC_EXECUTABLE AND NOT GPUGRAPH_SANITIZE)
  gg_test(example_fashion_parallel "examples;device;full" ${needs_images}
    ${CMAKE_CURRENT_LIST_DIR}/check_parallel.sh
    "${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG}"
    $<TARGET_FILE:example_fashion_parallel> ${fashion_data})
  set_tests_properties(example_fashion_parallel PROPERTIES
    SKIP_REGULAR_EXPRESSION "no device: ")
endif()
