# SPDX-License-Identifier: BSD-2-Clause
# The pages of a training, in a real browser.
find_program(BROWSER NAMES chromium chromium-browser)
mark_as_advanced(BROWSER)
if(BROWSER AND TEST test_training_page)
  add_test(NAME training_page_in_browser
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_pages.sh ${BROWSER}
      ${PROJECT_BINARY_DIR}/test-data/test_training_page/tmp)
  set_tests_properties(training_page_in_browser PROPERTIES
    LABELS "nn" DEPENDS test_training_page SKIP_RETURN_CODE 77)
endif()
