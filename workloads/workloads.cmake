# The workloads, each an OpenCL program NAME.c, with NAME/*.c where it has some, and its kernels in NAME.cl, and their small sizes as tests.  Label `workload`.
set(workload_environment "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/workloads/cache")

# What is behind `name` are options of `lockstep run`; behind PROGRAM, of the program.  The programs check themselves.
function(lockstep_workload_test program name)
	cmake_parse_arguments(PARSE_ARGV 2 of "" "" PROGRAM)
	add_test(NAME workload_${program}_${name} COMMAND lockstep run --gpu gtx480 ${of_UNPARSED_ARGUMENTS}
		--output ${CMAKE_BINARY_DIR}/workloads/${program}_${name}.txt
		$<TARGET_FILE:workload_${program}> --size small ${of_PROGRAM})
	set_tests_properties(workload_${program}_${name} PROPERTIES LABELS workload TIMEOUT 300
		ENVIRONMENT "${workload_environment}")
endfunction()

# Those that every program passes; `prefix` tells variants of one program apart, PROGRAM as above.
function(lockstep_workload_tests program prefix)
	lockstep_workload_test(${program} ${prefix}lrr --scheduler lrr ${ARGN})
	lockstep_workload_test(${program} ${prefix}gto --scheduler gto ${ARGN})
	lockstep_workload_test(${program} ${prefix}random --scheduler random ${ARGN})
	lockstep_workload_test(${program} ${prefix}functional --mode functional ${ARGN})
	lockstep_workload_test(${program} ${prefix}independent --divergence independent ${ARGN})
endfunction()

# Those of a kernel with lock instructions, which a divergence model without lock entries blocks.
function(lockstep_workload_lock_tests program prefix)
	lockstep_workload_test(${program} ${prefix}lrr --divergence stack-locks --scheduler lrr ${ARGN})
	lockstep_workload_test(${program} ${prefix}gto --divergence stack-locks --scheduler gto ${ARGN})
	lockstep_workload_test(${program} ${prefix}random --divergence stack-locks --scheduler random ${ARGN})
	lockstep_workload_test(${program} ${prefix}functional --divergence stack-locks --mode functional ${ARGN})
	lockstep_workload_test(${program} ${prefix}independent --divergence independent ${ARGN})
	lockstep_workload_test(${program} ${prefix}software --divergence independent --lock none ${ARGN})
	lockstep_workload_test(${program} ${prefix}independent_queue --divergence independent --lock queue ${ARGN})
endfunction()

# What several of them share.
set(workload_shared workloads/bank.c workloads/common.c)
file(GLOB workload_sources CONFIGURE_DEPENDS workloads/*.c)
list(FILTER workload_sources EXCLUDE REGEX "/(bank|common)[.]c$")
foreach(source IN LISTS workload_sources)
	get_filename_component(name ${source} NAME_WE)
	file(GLOB parts CONFIGURE_DEPENDS workloads/${name}/*.c)
	add_executable(workload_${name} ${source} ${parts} ${workload_shared})
	target_link_libraries(workload_${name} PRIVATE PkgConfig::opencl m)
	target_compile_definitions(workload_${name} PRIVATE WORKLOADS_FOLDER="${PROJECT_SOURCE_DIR}/workloads"
		DEVICE_FOLDER="${PROJECT_SOURCE_DIR}/device")
	set_target_properties(workload_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/workloads)
	list(APPEND workload_programs $<TARGET_FILE:workload_${name}>)
	if(LOCKSTEP_TESTS)
		lockstep_workload_tests(${name} "")
		# Status 3 when a loop could block a warp.
		add_test(NAME workload_${name}_lint COMMAND lockstep lint ${PROJECT_SOURCE_DIR}/workloads/${name}.cl)
		set_tests_properties(workload_${name}_lint PROPERTIES LABELS workload TIMEOUT 60)
	endif()
endforeach()
if(LOCKSTEP_TESTS)
	lockstep_workload_test(atm two_level --scheduler two-level --set two-level.group=4)
	# The variants of paper 1 that are not the default.
	lockstep_workload_tests(barneshut atomics_ PROGRAM --sync atomics --st 0)
	lockstep_workload_tests(barneshut try_ PROGRAM --sync try --st 0)
	foreach(program interac apriori)
		lockstep_workload_lock_tests(${program} locks_ PROGRAM --sync locks)
	endforeach()
	lockstep_workload_lock_tests(barneshut locks_ PROGRAM --sync locks --st 0)
	# Not interac: its locks are nested (paper 1, Section 5.2.2).
	lockstep_workload_test(apriori locks_queue --divergence stack-locks --lock queue PROGRAM --sync locks)
	lockstep_workload_test(barneshut locks_queue --divergence stack-locks --lock queue PROGRAM --sync locks --st 0)
	# The race is there: frequent sets are missing.
	lockstep_workload_test(apriori race PROGRAM --sync race)
	set_tests_properties(workload_apriori_race PROPERTIES PASS_REGULAR_EXPRESSION "FAILED: [0-9]+ sets of 2 items are frequent, not ")
	# With sanitizers, too: programs of many launches, in some of which the search for hangs is still watching at the end.
	set_tests_properties(workload_ds_lrr workload_plain_gto workload_interac_locks_lrr workload_barneshut_locks_queue PROPERTIES LABELS "workload;hostile")
	# Paper 3's schemes and forms; those without lock bits run on any GPU.
	foreach(scheme atom_lock warp_barr shrd_lock warp_vote)
		lockstep_workload_tests(validation ${scheme}_ PROGRAM --scheme ${scheme})
		lockstep_workload_test(validation ${scheme}_v100 --gpu v100 --set shared.lock_bits=1024 PROGRAM --scheme ${scheme})
	endforeach()
	lockstep_workload_test(validation tiny_lock_v100 --gpu v100 --set shared.lock_bits=1024 PROGRAM --scheme tiny_lock)
	lockstep_workload_test(validation without_bits --gpu gtx980 PROGRAM --scheme atom_lock)
	foreach(form data atomic)
		lockstep_workload_test(needle ${form} PROGRAM --form ${form})
		lockstep_workload_test(needle ${form}_functional --mode functional PROGRAM --form ${form})
		lockstep_workload_test(needle ${form}_without_bits --gpu gtx980 PROGRAM --form ${form})
	endforeach()
	lockstep_workload_tests(needle private_ PROGRAM --form private --tile 16 --grid 60)
	lockstep_workload_test(needle tiny_v100 --gpu v100 --set shared.lock_bits=1024 PROGRAM --form tiny)
	# Several work-groups of a core: their lock bits must not be the same.
	lockstep_workload_test(needle one_core --set core.count=1 PROGRAM --grid 105 --tile 16)
	lockstep_workload_test(needle one_core_private --set core.count=1 PROGRAM --form private --grid 60 --tile 16)
	lockstep_workload_test(needle one_core_v100 --gpu v100 --set shared.lock_bits=1024 --set core.count=1)
	lockstep_workload_test(dataflow one_core_v100 --gpu v100 --set shared.lock_bits=1024 --set core.count=1)
	lockstep_workload_test(dataflow v100 --gpu v100 --set shared.lock_bits=1024)
	lockstep_workload_test(pitfalls divergent PROGRAM --case in-warp-divergent)
	foreach(case in-warp own-alias alias-at-barrier)
		lockstep_workload_test(pitfalls ${case} PROGRAM --case ${case})
		set_tests_properties(workload_pitfalls_${case} PROPERTIES PASS_REGULAR_EXPRESSION "on the lock bit of shared memory")
	endforeach()
	# Paper 4's microbenchmarks, on chips of which its Table 3 has the bound.
	foreach(gpu gtx980 radeon-r7 mali-t628-4 v100)
		lockstep_workload_test(discover ${gpu} --gpu ${gpu})
		lockstep_workload_test(discover spin_${gpu} --gpu ${gpu} PROGRAM --spin 1 --times 3)
		lockstep_workload_test(discover most_${gpu} --gpu ${gpu} PROGRAM --most-threads 1 --all-local 1 --times 3)
	endforeach()
	# A spin lock whose exchange is no release gives itself to the thread that has just unlocked it: the poll closes after one group.
	set_tests_properties(workload_discover_spin_mali-t628-4 PROPERTIES PASS_REGULAR_EXPRESSION "discovered: [1-9][0-9] work-groups")
	foreach(barrier central grid tree dissemination)
		lockstep_workload_tests(discover ${barrier}_ PROGRAM --barrier ${barrier} --times 4)
	endforeach()
	lockstep_workload_test(discover search --gpu gtx980 --explain-limit 0 PROGRAM --search 1 --most-threads 1)
	set_tests_properties(workload_discover_search PROPERTIES PASS_REGULAR_EXPRESSION "occupancy bound: 32 work-groups")
	# Threads of the pool wake one after another (dispatch.interval): without a delay the first is through before the second is there.
	lockstep_workload_test(discover cpu_0 --gpu cpu-4 PROGRAM --groups 16)
	set_tests_properties(workload_discover_cpu_0 PROPERTIES PASS_REGULAR_EXPRESSION "discovered: 1 work-groups")
	lockstep_workload_test(discover cpu_1000 --gpu cpu-4 PROGRAM --groups 16 --delay 1000)
	set_tests_properties(workload_discover_cpu_1000 PROPERTIES PASS_REGULAR_EXPRESSION "discovered: 4 work-groups")
	lockstep_workload_test(discover search_cpu --gpu cpu-4 --explain-limit 0 PROGRAM --search 1 --groups 32)
	set_tests_properties(workload_discover_search_cpu PROPERTIES PASS_REGULAR_EXPRESSION "occupancy bound: 4 work-groups")
	# The lock of the discovery is taken by one thread of a group, which the lint cannot know.
	set_tests_properties(workload_discover_lint PROPERTIES PASS_REGULAR_EXPRESSION ": 4 spin loops, 1 of which can block a warp")
	# Its spin locks are of one lane each, which the lint cannot know.
	set_tests_properties(workload_validation_lint PROPERTIES PASS_REGULAR_EXPRESSION ": 6 spin loops, 3 of which can block a warp")
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
