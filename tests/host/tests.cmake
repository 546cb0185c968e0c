# The host programs of tests/host, each under `lockstep run`, and `lockstep run` itself.  Label `host`.
pkg_check_modules(opencl REQUIRED IMPORTED_TARGET OpenCL)

# Programs that scripts start, and that prove nothing by themselves.
set(helpers again placement schedules endless freed launch_times orders past_end programmatic unordered)

# Programs about what both modes do in their own ways: they run in functional mode, too.
set(both_modes clusters first_bytes svm_atomics)

# What they expect of the device is of this model: its numbers, its compute capability, the speed of its copies.
set(cuda_clusters_options --gpu h200)
set(cuda_device_options --gpu gtx480)
set(cuda_driver_options --gpu gtx480)
set(cuda_stream_limits_options --gpu gtx480)
set(cuda_driver_memory_options --gpu gtx480)

# Their kernels are compiled anew in a fresh build folder, and found in the cache afterwards.
set(host_environment "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/host/cache")

# Where programs and drivers have a sanitizer, scripts/check runs them by its label (docs/tests.md).  The command finds the drivers, and they the
# sanitizer's library, which is the program's.
set(host_labels host)
if(LOCKSTEP_SANITIZE MATCHES "address")
	list(APPEND host_labels hostile)
	# Clang 14's guess where a thread's memory for libraries lies is wrong now and then with glibc 2.36, and the search for leaks crashes there
	# ("Tracer caught signal 11").
	set(address_options intercept_tls_get_addr=0)
	list(APPEND host_environment "ASAN_OPTIONS=${address_options}")
elseif(LOCKSTEP_SANITIZE MATCHES "thread")
	list(APPEND host_labels threads)
	list(APPEND host_environment "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/host/races.txt")
	# What has one thread and is slow; and what shares words with kernels that run, which write them as the processor does, not as C11 does:
	# svm_atomics.
	list(APPEND helpers build_errors first_bytes image_sampling linking svm_atomics)
endif()
# It ends with launches under way, whose kernels and buffers are still held.
set(opencl_ending_environment "ASAN_OPTIONS=detect_leaks=0:${address_options}")

# host_test(NAME TARGET [OPTION OF lockstep run]...): a program that checks itself.
function(host_test name target)
	add_test(NAME ${name} COMMAND lockstep run ${ARGN} --output ${CMAKE_BINARY_DIR}/host/${name}.txt $<TARGET_FILE:${target}>)
	set_tests_properties(${name} PROPERTIES LABELS "${host_labels}" TIMEOUT 300 ENVIRONMENT "${host_environment};${${name}_environment}")
	set_property(GLOBAL APPEND PROPERTY threads_targets ${target})
endfunction()

# host_tests(FRONT_END NAME): in timing mode, and in the other where both matter.
function(host_tests front_end name)
	host_test(${front_end}_${name} ${front_end}_${name} ${${front_end}_${name}_options})
	if(name IN_LIST both_modes)
		host_test(${front_end}_${name}_functional ${front_end}_${name} ${${front_end}_${name}_options} --mode functional)
	endif()
endfunction()

file(GLOB host_programs CONFIGURE_DEPENDS tests/host/opencl/*.c)
foreach(source IN LISTS host_programs)
	get_filename_component(name ${source} NAME_WE)
	add_executable(opencl_${name} ${source})
	target_compile_options(opencl_${name} PRIVATE ${quickly_compiled})
	target_link_libraries(opencl_${name} PRIVATE PkgConfig::opencl Threads::Threads m)
	set_target_properties(opencl_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host/opencl)
	if(NOT name IN_LIST helpers)
		host_tests(opencl ${name})
	endif()
endforeach()

# With warps of 64 lanes a sub-group is half a warp.
host_test(opencl_sub_groups_64 opencl_sub_groups --gpu radeon-r9)
# With a control processor.
host_test(opencl_firmware_apu opencl_firmware --gpu apu-2014)

# CUDA: kernels.c is what nvcc would put into each program, so none needs it.
add_library(cuda_test_kernels OBJECT tests/host/cuda/kernels.c)
target_include_directories(cuda_test_kernels PRIVATE src)
target_compile_definitions(cuda_test_kernels PRIVATE KERNELS_FOLDER="${PROJECT_SOURCE_DIR}/tests/host/cuda")
set_source_files_properties(tests/host/cuda/kernels.c PROPERTIES OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/tests/host/cuda/kernels.fatbin)
file(GLOB host_programs CONFIGURE_DEPENDS tests/host/cuda/*.c)
list(FILTER host_programs EXCLUDE REGEX "/kernels\\.c$")
foreach(source IN LISTS host_programs)
	get_filename_component(name ${source} NAME_WE)
	add_executable(cuda_${name} ${source} $<TARGET_OBJECTS:cuda_test_kernels>)
	target_compile_options(cuda_${name} PRIVATE ${quickly_compiled})
	target_include_directories(cuda_${name} PRIVATE src)
	target_compile_definitions(cuda_${name} PRIVATE KERNELS_FOLDER="${PROJECT_SOURCE_DIR}/tests/host/cuda")
	if(name MATCHES "_12$")
		target_link_libraries(cuda_${name} PRIVATE cudart12)
	else()
		target_link_libraries(cuda_${name} PRIVATE cudart13 m)
	endif()
	# Found by `lockstep run` alone, as with any program.
	set_target_properties(cuda_${name} PROPERTIES OUTPUT_NAME ${name} SKIP_BUILD_RPATH ON
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host/cuda)
	host_tests(cuda ${name})
endforeach()
host_test(cuda_firmware_apu cuda_firmware --gpu apu-2014)
# For each version of its kernel a model that takes it; and one that none is for.
foreach(gpu gtx480 a100 rtx4090 h200 rtx5090)
	host_test(cuda_architectures_${gpu} cuda_architectures --gpu ${gpu})
endforeach()
host_test(cuda_architectures_100 cuda_architectures --gpu h200 --set core.capability=100)
host_test(cuda_architectures_121 cuda_architectures --gpu h200 --set core.capability=121)

# With a CUDA runtime in the program itself, as nvcc links it when nothing is said.
foreach(name vector_add not_offered)
	set(source tests/host/static/${name}.c)
	if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${source})
		set(source tests/host/cuda/${name}.c)
	endif()
	add_executable(cuda_static_${name} ${source} $<TARGET_OBJECTS:cuda_test_kernels> tests/host/static/runtime.c)
	target_include_directories(cuda_static_${name} PRIVATE src)
	target_compile_options(cuda_static_${name} PRIVATE -fno-builtin)
	set_target_properties(cuda_static_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host/static)
	add_dependencies(cuda_static_${name} lockstep_preload cudart13)
	host_test(cuda_static_${name} cuda_static_${name})
endforeach()
set_tests_properties(cuda_static_not_offered PROPERTIES PASS_REGULAR_EXPRESSION "cudaErrorNotSupported cudaErrorNotSupported 42")

# Not position-independent: its heap would begin anywhere, also in the GPU's memory.
target_link_options(cuda_static_vector_add PRIVATE -no-pie)

# It kills programs, and ends them half way, which leaves what they hold: the other tests look for leaks.  Programs that are not ours load a
# driver only with its sanitizer before it; ThreadSanitizer's cannot come so late.
set(run_environment "LOCKSTEP=$<TARGET_FILE:lockstep>" "PROGRAMS=${CMAKE_BINARY_DIR}/host/opencl" "CUDA_PROGRAMS=${CMAKE_BINARY_DIR}/host/cuda"
	${host_environment} "ASAN_OPTIONS=detect_leaks=0:${address_options}")
set(run_labels ${host_labels})
list(REMOVE_ITEM run_labels threads)
if(LOCKSTEP_SANITIZE MATCHES "address")
	list(APPEND run_environment "SANITIZER=${address_sanitizer}")
endif()
add_test(NAME run COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/host/test_run.py)
set_tests_properties(run PROPERTIES LABELS "${run_labels}" TIMEOUT 600 COST 600 ENVIRONMENT "${run_environment}")
# Each of its programs may wait for some seconds, most at the same time.
add_test(NAME stalled COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/host/stalled.py)
set_tests_properties(stalled PROPERTIES LABELS "${run_labels}" TIMEOUT 600 COST 100 ENVIRONMENT "${run_environment}")
# Random scripts of calls, by a reference of what orders them.
foreach(name orders orders_opencl)
	add_test(NAME ${name} COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/host/${name}.py)
	set_tests_properties(${name} PROPERTIES LABELS "${run_labels}" TIMEOUT 600 ENVIRONMENT "${run_environment}")
endforeach()

# Needs CUDA's headers, which are not ours to have.
add_test(NAME cuda_names COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/host/cuda_names.py ${CMAKE_BINARY_DIR}/cuda)
set_tests_properties(cuda_names PROPERTIES LABELS host SKIP_RETURN_CODE 77)
add_test(NAME small_floats COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/small_floats.py)
set_tests_properties(small_floats PROPERTIES LABELS host SKIP_RETURN_CODE 77 TIMEOUT 300 ENVIRONMENT "LOCKSTEP=$<TARGET_FILE:lockstep>")
