# The workloads, each an OpenCL program NAME.c, with NAME/*.c where it has some, and its kernels in NAME.cl, and their small sizes as tests.  Label `workload`.
set(workload_environment "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/workloads/cache")

# What is behind `name` are options of `lockstep run`.  The programs check themselves.
function(lockstep_workload_test program name)
	add_test(NAME workload_${program}_${name} COMMAND lockstep run --gpu gtx480 ${ARGN}
		--output ${CMAKE_BINARY_DIR}/workloads/${program}_${name}.txt $<TARGET_FILE:workload_${program}> --size small)
	set_tests_properties(workload_${program}_${name} PROPERTIES LABELS workload TIMEOUT 300
		ENVIRONMENT "${workload_environment}")
endfunction()

file(GLOB workload_sources CONFIGURE_DEPENDS workloads/*.c)
list(FILTER workload_sources EXCLUDE REGEX "/common[.]c$")
foreach(source IN LISTS workload_sources)
	get_filename_component(name ${source} NAME_WE)
	file(GLOB parts CONFIGURE_DEPENDS workloads/${name}/*.c)
	add_executable(workload_${name} ${source} ${parts} workloads/common.c)
	target_link_libraries(workload_${name} PRIVATE PkgConfig::opencl m)
	target_compile_definitions(workload_${name} PRIVATE WORKLOADS_FOLDER="${PROJECT_SOURCE_DIR}/workloads")
	set_target_properties(workload_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
	list(APPEND workload_programs $<TARGET_FILE:workload_${name}>)
	if(LOCKSTEP_TESTS)
		lockstep_workload_test(${name} lrr --scheduler lrr)
		lockstep_workload_test(${name} gto --scheduler gto)
		lockstep_workload_test(${name} random --scheduler random)
		lockstep_workload_test(${name} functional --mode functional)
		lockstep_workload_test(${name} independent --divergence independent)
		# Status 3 when a loop could block a warp.
		add_test(NAME workload_${name}_lint COMMAND lockstep lint ${PROJECT_SOURCE_DIR}/workloads/${name}.cl)
		set_tests_properties(workload_${name}_lint PROPERTIES LABELS workload TIMEOUT 60)
	endif()
endforeach()
if(LOCKSTEP_TESTS)
	lockstep_workload_test(atm two_level --scheduler two-level --set two-level.group=4)
	# With sanitizers, too: programs of many launches, in some of which the search for hangs is still watching at the end.
	set_tests_properties(workload_ds_lrr workload_plain_gto PROPERTIES LABELS "workload;hostile")
	set_tests_properties(workload_plain_lint PROPERTIES PASS_REGULAR_EXPRESSION ": 0 spin loops")
	add_test(NAME workload_options COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/workloads/test_options.py ${workload_programs})
	set_tests_properties(workload_options PROPERTIES LABELS workload TIMEOUT 60)
endif()

# `lockstep experiment` on one of them.
if(LOCKSTEP_TESTS AND TARGET workload_ht AND TARGET lockstep-experiment)
	add_test(NAME experiment COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/experiment.py)
	set_tests_properties(experiment PROPERTIES LABELS command TIMEOUT 300
		ENVIRONMENT "LOCKSTEP=$<TARGET_FILE:lockstep>;${workload_environment}")
endif()
