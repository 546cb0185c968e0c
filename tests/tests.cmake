# The tests that run the command: golden kernels and litmus kernels.  Unit tests are in the top CMakeLists.txt.
#
#   ctest --preset release -L kernel          a few configurations of every kernel (minutes on two cores)
#   tests/run_kernels.py --full               all of them
#   tests/litmus.py --runs 10000              the long form
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Runs a script of this folder with the options that follow, on the lockstep of this build.  Those that may take long begin first, so that none
# is alone at the end.
function(lockstep_script name script label timeout)
	add_test(NAME ${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/${script} ${ARGN}
		WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
	set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} COST ${timeout}
		ENVIRONMENT "LOCKSTEP=$<TARGET_FILE:lockstep>")
endfunction()

if(LOCKSTEP_HOSTILE) # whose caches and queues are others
	set(digests --no-digests)
endif()
lockstep_script(kernels run_kernels.py kernel 3000 --quick ${digests})
lockstep_script(digests digests_test.py command 30)
lockstep_script(results_compared results_test.py command 30)
lockstep_script(paper_pictures paper_pictures.py command 30)
lockstep_script(structure structure_test.py command 30)
lockstep_script(litmus litmus.py kernel 1500)
lockstep_script(litmus_command litmus_command.py command 300)
lockstep_script(litmus_reference litmus_reference.py command 300)
lockstep_script(litmus_rule litmus_rule.py command 300)
lockstep_script(litmus_progress litmus_progress.py command 300 --programs 20)
lockstep_script(progress progress.py kernel 600)
lockstep_script(warp_orders warp_orders.py kernel 300)
lockstep_script(rows check_rows.py kernel 300)
lockstep_script(gpu_peaks gpu_peaks.py kernel 300)
lockstep_script(prose prose.py command 30)
add_test(NAME links COMMAND ${PROJECT_SOURCE_DIR}/scripts/site --check)
set_tests_properties(links PROPERTIES LABELS command TIMEOUT 30)
lockstep_script(causes causes.py command 30)
lockstep_script(barrier_orders barrier_orders.py kernel 300)
lockstep_script(barrier_progress barrier_progress.py kernel 300)
lockstep_script(barrier_refusals barrier_refusals.py command 60)
lockstep_script(channel_orders channel_orders.py kernel 300)
lockstep_script(channel_progress channel_progress.py kernel 300)
lockstep_script(claims claims.py kernel 300)
lockstep_script(random_kernels random_kernels.py kernel 600 --programs 120)
lockstep_script(random_locks random_locks.py kernel 300)
lockstep_script(random_mbarriers random_mbarriers.py kernel 300)
lockstep_script(random_tensors random_tensors.py kernel 120)
lockstep_script(profile profile.py kernel 300)
lockstep_script(tables tables.py kernel 120)
lockstep_script(timeline timeline.py command 60 ${CMAKE_BINARY_DIR})
lockstep_script(debug debug.py command 180 ${CMAKE_BINARY_DIR})
lockstep_script(debug_run debug_run.py command 300 ${CMAKE_BINARY_DIR})
lockstep_script(debug_dap debug_dap.py command 300)
lockstep_script(page page.py command 180)
# What reads JSON, in one process.
add_executable(hostile_results tests/hostile_results.c)
target_include_directories(hostile_results PRIVATE tests)
target_link_libraries(hostile_results PRIVATE lockstep_tested PkgConfig::cmocka)
lockstep_script(hostile_results hostile_results.py command 300 $<TARGET_FILE:hostile_results>)
# Pinned PTX against its sources, and against its compiler where that is installed.
add_executable(pinned_ptx tests/pinned.c)
target_link_libraries(pinned_ptx PRIVATE lockstep_tested)
target_compile_definitions(pinned_ptx PRIVATE LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME pinned_sources COMMAND pinned_ptx sources)
set_tests_properties(pinned_sources PROPERTIES LABELS command TIMEOUT 60)
if(NOT LOCKSTEP_SANITIZE) # it is clang that is tested
	add_test(NAME pinned_compiler COMMAND pinned_ptx compiler)
	set_tests_properties(pinned_compiler PROPERTIES LABELS command TIMEOUT 300 SKIP_RETURN_CODE 77
		ENVIRONMENT "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/workloads/cache")
endif()
lockstep_script(broken_plugins broken_plugins.py command 120)
lockstep_script(plugin plugin.py kernel 120 ${CMAKE_BINARY_DIR})
lockstep_script(install install.py command 120 ${CMAKE_BINARY_DIR})
if(NOT LOCKSTEP_SANITIZE)
	lockstep_script(demo_build demo_build.py command 60)
	lockstep_script(page_firefox page.py command 180 firefox)
	# A program without sanitizers cannot load a library that has one; its part is in lockstep_test.c, too.
	lockstep_script(python python_module.py command 60 ${CMAKE_BINARY_DIR})
	lockstep_script(notebook notebook.py command 120 ${CMAKE_BINARY_DIR})
	lockstep_script(ci ci.py command 120 ${CMAKE_BINARY_DIR})
	lockstep_script(wheel wheel.py command 300 ${CMAKE_BINARY_DIR})
	set_tests_properties(notebook ci wheel PROPERTIES SKIP_RETURN_CODE 77)
	# Sanitizers have their own malloc, and what writes counts of lines makes calls as if it were Lockstep.
	if(NOT CMAKE_BUILD_TYPE STREQUAL "Coverage")
		add_library(faults MODULE tests/faults/fault.c)
		lockstep_script(faults faults.py command 600)
	endif()
	lockstep_script(relaunch relaunch.py kernel 120 ${CMAKE_BINARY_DIR})
endif()
lockstep_script(sweep sweep.py command 60)
lockstep_script(seeds seeds.py kernel 120)
lockstep_script(lint lint.py kernel 300)
lockstep_script(cache cache.py command 300)
set_tests_properties(cache PROPERTIES SKIP_RETURN_CODE 77)
lockstep_script(command_errors cli/errors.py command 120)
if(LOCKSTEP_HOSTILE) # where nothing is to be copied, or written, sanitizers see that it is tried
	lockstep_script(kernels_of_nothing run_kernels.py hostile 300 --gpu gtx480 control/empty host/printf_nothing fault/continue_many)
	# Warps that others release in their own turn, under the machine's audit.
	lockstep_script(kernels_released run_kernels.py hostile 300 --no-digests cluster/objects)
	# Small caches and queues, the random scheduler, sanitizers and the machine's audit after each quantum (src/machine/gpu/audit.c): what
	# does not depend on time stays what it is.
	lockstep_script(kernels_hostile run_kernels.py hostile 600 --seeds 1 --gpu gtx480 atomic/* barrier/* call/* control/* copy/* device/*
		host/* litmus/* lock/instruction lock/semaphore lock/try lock/nested lock/both lock/shared_lock mbarrier/* memory/* tensor/* texture/* warp/* wgmma/*
		counter/two_operations counter/bank_conflicts counter/coalescing counter/lanes counter/classes counter/local counter/locks counter/polling counter/guards counter/dual_memory counter/indexed counter/fragment
		counter/classes_more)
endif()
if(NOT LOCKSTEP_HOSTILE)
	lockstep_script(timing timing.py kernel 300)
	lockstep_script(findings findings.py kernel 300)
	lockstep_script(divergence_docs divergence_docs.py command 120)
	lockstep_script(docs docs.py command 600)
	if(CMAKE_BUILD_TYPE STREQUAL "Release")
		lockstep_script(results results.py command 300)
	endif()
	lockstep_script(slurm slurm.py command 600) # mostly waits
	set_tests_properties(slurm PROPERTIES SKIP_RETURN_CODE 77)
endif()

# scripts/mutate, most of it only with libclang's bindings.
add_test(NAME mutate COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/mutate/test_mutate.py)
set_tests_properties(mutate PROPERTIES LABELS command TIMEOUT 60)

include(tests/host/tests.cmake)
set_property(TEST run PROPERTY SKIP_REGULAR_EXPRESSION "OK \\(skipped=") # unittest's last line when something was left out

foreach(name kernels kernels_hostile litmus random_kernels random_mbarriers claims progress findings results) # each runs two programs at a time
	if(TEST ${name})
		set_tests_properties(${name} PROPERTIES PROCESSORS 2)
	endif()
endforeach()
