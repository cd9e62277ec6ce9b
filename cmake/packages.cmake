# Debian packages: `cmake --preset package && cmake --build --preset package --target package`
# leaves them in build/package. One for each component; what a package is for is said once, here.
option(GALERNA_PACKAGES "Install what Debian packages need: copyright, changelog, compressed pages" OFF)
if(NOT GALERNA_PACKAGES)
  return()
endif()
set(GALERNA_PACKAGE_VERSION ${PROJECT_VERSION} CACHE STRING "Version of the packages")

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_PACKAGE_NAME galerna)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_VERSION ${GALERNA_PACKAGE_VERSION})
set(CPACK_PACKAGE_CONTACT "Galerna maintainers <maintainers@users.noreply.github.com>")
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)

string(TIMESTAMP GALERNA_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)

#   galerna_package(COMPONENT NAME [ANY_MACHINE] SUMMARY text TEXT lines... [SECTION section]
#                   [DEPENDS packages...] [SUGGESTS packages...])
function(galerna_package component name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ANY_MACHINE" "SUMMARY;SECTION" "TEXT;DEPENDS;SUGGESTS")
  string(TOUPPER ${component} key)
  list(JOIN arg_DEPENDS ", " depends)
  list(JOIN arg_SUGGESTS ", " suggests)
  list(JOIN arg_TEXT "\n" text)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SUGGESTS "${suggests}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${arg_SUMMARY}\n${text}" PARENT_SCOPE)
  if(arg_SECTION)
    set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
  endif()
  if(arg_ANY_MACHINE)
    set(CPACK_DEBIAN_${key}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS OFF PARENT_SCOPE)
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)

  set(folder ${CMAKE_BINARY_DIR}/debian/${name})
  set(GALERNA_PACKAGE ${name})
  configure_file(cmake/debian/copyright.in ${folder}/copyright @ONLY)
  configure_file(cmake/debian/changelog.in ${folder}/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${folder}/copyright ${folder}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()

galerna_package(daemon galernad
  SUMMARY "lease scheduler for OpenNebula"
  TEXT "Places the VMs of an OpenNebula 6 or 7 in place of its own scheduler: VMs"
       "start as soon as there is room, at an exact time, or within a window that"
       "ends with a deadline. The service is not started by the installation:"
       "galerna setup shows what to change in OpenNebula first."
  DEPENDS "galerna (= ${GALERNA_PACKAGE_VERSION})" "galerna-policies (= ${GALERNA_PACKAGE_VERSION})"
          "init-system-helpers (>= 1.52)"
  SUGGESTS opennebula)
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/cmake/debian/postinst ${CMAKE_SOURCE_DIR}/cmake/debian/prerm
  ${CMAKE_SOURCE_DIR}/cmake/debian/postrm)
galerna_package(web galerna-web
  SUMMARY "HTTP API and calendar of the lease scheduler Galerna"
  TEXT "Serves the operations of galernad over HTTP and HTTPS as JSON, and a page"
       "that shows leases over time. Callers sign in as users of OpenNebula, and"
       "may do to their leases what OpenNebula lets them do to their VMs. The"
       "service is not started by the installation."
  DEPENDS "galernad (= ${GALERNA_PACKAGE_VERSION})" "init-system-helpers (>= 1.52)"
  SUGGESTS galerna-doc)
set(CPACK_DEBIAN_WEB_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/cmake/debian/web/postinst ${CMAKE_SOURCE_DIR}/cmake/debian/web/prerm
  ${CMAKE_SOURCE_DIR}/cmake/debian/web/postrm)
galerna_package(command galerna
  SUMMARY "command of the lease scheduler Galerna"
  TEXT "Requests and shows leases of galernad, and replays traces of lease requests"
       "on simulated hosts with the same engine and policies."
  DEPENDS "galerna-policies (= ${GALERNA_PACKAGE_VERSION})"
  SUGGESTS galernad galerna-doc)
galerna_package(policies galerna-policies
  SUMMARY "policy modules of the lease scheduler Galerna"
  TEXT "Shared objects that decide which leases are accepted, which are preempted,"
       "and on which hosts VMs run; loaded by galernad and by replays.")
galerna_package(development galerna-dev
  SUMMARY "files to build policy modules for Galerna"
  TEXT "The header, a host for unit tests of modules, and the files by which CMake"
       "and pkg-config find them."
  SECTION devel SUGGESTS galerna-doc)
galerna_package(documents galerna-doc ANY_MACHINE
  SUMMARY "documents of the lease scheduler Galerna"
  TEXT "Architecture, formats, differences from Haizea and from OpenNebula's"
       "schedulers, and an example of a policy module."
  SECTION doc)

include(CPack)
