# Warnings, floating point, hardening, sanitizers and link-time optimisation: the same for every
# target of the tree.

set(GALERNA_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined")
option(GALERNA_WERROR "Warnings are errors" ON)
option(GALERNA_HARDENING "Fortified library calls, stack protector, read-only relocations" OFF)
option(GALERNA_LTO "Link-time optimisation" OFF)
option(GALERNA_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)

add_compile_options(
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
  -Wpointer-arith -Wcast-qual -Wvla -Wundef -Wwrite-strings -Wformat-security)
if(GALERNA_WERROR)
  add_compile_options(-Werror)
endif()

# A schedule must be the same on every machine and with every compiler: no contraction into fused
# operations, no reordering of sums.
add_compile_options(-ffp-contract=off)

# Assertions stay in: a wrong pointer must stop the program, not the schedule.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g" CACHE STRING "Flags of the build type Release" FORCE)
set(CMAKE_C_FLAGS_DEBUG "-g" CACHE STRING "Flags of the build type Debug" FORCE)

if(GALERNA_HARDENING)
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
                      -fstack-clash-protection)
  add_link_options(-Wl,-z,relro -Wl,-z,now)
endif()

if(GALERNA_SANITIZE)
  # -g1: line numbers are all that their reports need of the debug information.
  add_compile_options(-fsanitize=${GALERNA_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1 -DGALERNA_SANITIZED)
  add_link_options(-fsanitize=${GALERNA_SANITIZE})
  # Some 300 programs are linked for the tests, and ld takes longer for each than its compiler.
  find_program(GALERNA_MOLD mold)
  if(GALERNA_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

if(GALERNA_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "GALERNA_FUZZ needs clang: use the preset fuzz, or CC=clang")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(GALERNA_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(LANGUAGES C)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()
