# Installed files belong to components; each is a Debian package (packages.cmake).

# What the install commands of a folder belong to unless they say otherwise.
macro(galerna_set_component folder)
  if("${folder}" MATCHES "^(daemon|planner|notify|adapters/opennebula)$")
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME daemon)
  elseif("${folder}" STREQUAL web)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME web)
  elseif("${folder}" STREQUAL policies)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME policies)
  elseif("${folder}" STREQUAL plugin)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
  elseif("${folder}" STREQUAL doc)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME documents)
  else()
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)
  endif()
endmacro()
