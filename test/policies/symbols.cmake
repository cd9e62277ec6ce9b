# cmake -DNM=... -DMODULE=... -DSYMBOL=... -P symbols.cmake: MODULE exports SYMBOL and nothing else.
execute_process(COMMAND ${NM} -D --defined-only ${MODULE}
                OUTPUT_VARIABLE exported COMMAND_ERROR_IS_FATAL ANY)
# The linker and the sanitizers' runtime add some of their own.
string(REGEX REPLACE "[0-9a-f]+ [A-Za-z] (_init|_fini|_edata|_end|__bss_start|__(asan|odr_asan|sancov|start|stop)[^\n]*)\n"
       "" exported "${exported}")
if(NOT exported MATCHES "^[0-9a-f]+ [A-Z] ${SYMBOL}\n$")
  message(FATAL_ERROR "${MODULE} exports other than ${SYMBOL}:\n${exported}")
endif()
