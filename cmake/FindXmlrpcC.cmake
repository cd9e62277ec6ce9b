# FindXmlrpcC: xmlrpc-c's base library, which Debian packages without a pkg-config file.
#
# Defines XmlrpcC_FOUND, XmlrpcC_VERSION and the target XmlrpcC::XmlrpcC.
find_path(XmlrpcC_INCLUDE_DIR xmlrpc-c/base.h)
find_library(XmlrpcC_LIBRARY xmlrpc)
find_library(XmlrpcC_UTIL_LIBRARY xmlrpc_util)
mark_as_advanced(XmlrpcC_INCLUDE_DIR XmlrpcC_LIBRARY XmlrpcC_UTIL_LIBRARY)

find_program(XmlrpcC_CONFIG xmlrpc-c-config)
mark_as_advanced(XmlrpcC_CONFIG)
if(XmlrpcC_CONFIG)
  execute_process(COMMAND ${XmlrpcC_CONFIG} --version OUTPUT_VARIABLE XmlrpcC_VERSION
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XmlrpcC
  REQUIRED_VARS XmlrpcC_LIBRARY XmlrpcC_UTIL_LIBRARY XmlrpcC_INCLUDE_DIR
  VERSION_VAR XmlrpcC_VERSION
  REASON_FAILURE_MESSAGE "Debian: libxmlrpc-core-c3-dev")

if(XmlrpcC_FOUND AND NOT TARGET XmlrpcC::XmlrpcC)
  add_library(XmlrpcC::Util UNKNOWN IMPORTED)
  set_target_properties(XmlrpcC::Util PROPERTIES IMPORTED_LOCATION ${XmlrpcC_UTIL_LIBRARY})
  add_library(XmlrpcC::XmlrpcC UNKNOWN IMPORTED)
  set_target_properties(XmlrpcC::XmlrpcC PROPERTIES
    IMPORTED_LOCATION ${XmlrpcC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${XmlrpcC_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES XmlrpcC::Util)
endif()
