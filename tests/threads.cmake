# What runs under ThreadSanitizer (preset tsan), by the label `threads`: everything with several threads, which are those of the machine
# and, in tests/host, the driver's and the programs'.  A race ends the process with status 66, so the test fails.
if(NOT LOCKSTEP_SANITIZE MATCHES "thread")
	return()
endif()

set(threads_unit_tests atomic_test energy_test machine_swap_test message_test)
foreach(name IN LISTS threads_unit_tests)
	set_property(TEST ${name} APPEND PROPERTY LABELS threads)
endforeach()
# Of the configurations of each kernel, those with two and three threads are a third.
lockstep_script(kernels_threads run_kernels.py threads 300 --gpu gtx480 barrier/reduction host/printf*)
add_test(NAME litmus_threads COMMAND lockstep litmus tests/litmus/mp-weak.litmus --runs 2048 --jobs 3 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(litmus_threads PROPERTIES LABELS threads TIMEOUT 120)

# The targets of the preset: no others are needed, and half of the build is spared.
get_property(host_targets GLOBAL PROPERTY threads_targets)
add_custom_target(tsan_tests DEPENDS lockstep lockstep-opencl ${threads_unit_tests} ${host_targets})
