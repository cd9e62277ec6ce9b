# What is installed and does not belong to one folder: the kit for writing policy modules (header,
# CMake package, pkg-config file), the licence and the first page to read.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)

set(GALERNA_POLICY_DIR ${CMAKE_INSTALL_LIBDIR}/galerna/policies)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Galerna)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES plugin/galerna_policy.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/GalernaConfig.cmake.in ${CMAKE_BINARY_DIR}/GalernaConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR GALERNA_POLICY_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/GalernaConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/GalernaConfig.cmake
              ${CMAKE_BINARY_DIR}/GalernaConfigVersion.cmake
              plugin/GalernaPolicy.cmake
        DESTINATION ${package_dir})

# The prefix as seen from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH GALERNA_PC_PREFIX /prefix/${pkgconfig_dir} /prefix)
configure_file(cmake/galerna.pc.in ${CMAKE_BINARY_DIR}/galerna.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/galerna.pc DESTINATION ${pkgconfig_dir})

install(DIRECTORY policies/example/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/policy COMPONENT documents)
install(DIRECTORY web/client/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/client COMPONENT documents)
install(FILES README.md LICENSE CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
