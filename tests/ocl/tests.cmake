# SPDX-License-Identifier: BSD-2-Clause
# Transfers between devices and platforms: PoCL as two devices, and Rusticl's
# device where it is installed.
if(NOT GPUGRAPH_SANITIZE) # Rusticl's driver does not run under them
  gg_test(test_transfer_devices "ocl;device" ${CMAKE_COMMAND} -E env
    "POCL_DEVICES=pthread basic" RUSTICL_ENABLE=llvmpipe
    $<TARGET_FILE:test_transfer>)
endif()
