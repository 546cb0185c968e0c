# docs/ptx-support.md must be what TOOL writes: cmake -DTOOL=... -DFILE=docs/ptx-support.md -DOUTPUT=... -P tests/ptx_support.cmake
execute_process(COMMAND ${TOOL} OUTPUT_FILE ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUTPUT} ${FILE} RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
if(differs)
	execute_process(COMMAND diff -u ${FILE} ${OUTPUT})
	message(FATAL_ERROR "docs/ptx-support.md is not what src/ptx/ops.def says; `ninja -C build/release ptx-support` writes it anew")
endif()
