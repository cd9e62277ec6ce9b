# galerna_add_policy(name sources...): build NAME.so, a policy module.
#
# The name is the policy's (lower case letters, digits and -); the sources define one structure with
# GALERNA_POLICY(). The module exports only this structure and must not have undefined symbols. Only
# the owner can write the file; otherwise Galerna would refuse it.
function(galerna_add_policy name)
  if(NOT name MATCHES "^[a-z0-9-]+$")
    message(FATAL_ERROR "galerna_add_policy: '${name}': use lower case letters, digits and -")
  endif()
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Galerna::policy)
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Results must not depend on whether a processor has fused multiply-add.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  # A sanitizer's functions are available only at run time.
  if(NOT GALERNA_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND chmod go-w $<TARGET_FILE:${name}> $<TARGET_FILE_DIR:${name}> VERBATIM)
endfunction()

# Galerna::mock_host, a host for the unit tests of a policy: link it with the policy's own sources.
if(NOT TARGET Galerna::mock_host AND Galerna_INCLUDE_DIR)
  find_library(Galerna_MOCK_HOST_LIBRARY galerna-mock-host HINTS ${CMAKE_CURRENT_LIST_DIR}/../..)
  mark_as_advanced(Galerna_MOCK_HOST_LIBRARY)
  if(Galerna_MOCK_HOST_LIBRARY)
    add_library(Galerna::mock_host STATIC IMPORTED)
    set_target_properties(Galerna::mock_host PROPERTIES
      IMPORTED_LOCATION "${Galerna_MOCK_HOST_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${Galerna_INCLUDE_DIR}")
  endif()
endif()
