# The host programs of tests/host, each under `lockstep run`, and `lockstep run` itself.  Label `host`.
pkg_check_modules(opencl REQUIRED IMPORTED_TARGET OpenCL)

# Programs that test_run.py starts, and that prove nothing by themselves.
set(helpers endless past_end)

# Programs about what both modes do in their own ways: they run in functional mode, too.
set(both_modes first_bytes svm_atomics)

# Their kernels are compiled anew in a fresh build folder, and found in the cache afterwards.
set(host_environment "XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/host/cache")

file(GLOB host_programs CONFIGURE_DEPENDS tests/host/opencl/*.c)
foreach(source IN LISTS host_programs)
	get_filename_component(name ${source} NAME_WE)
	add_executable(opencl_${name} ${source})
	target_link_libraries(opencl_${name} PRIVATE PkgConfig::opencl Threads::Threads m)
	set_target_properties(opencl_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host/opencl)
	if(name IN_LIST helpers)
		continue()
	endif()
	add_test(NAME opencl_${name} COMMAND lockstep run
		--output ${CMAKE_BINARY_DIR}/host/${name}.txt $<TARGET_FILE:opencl_${name}>)
	set_tests_properties(opencl_${name} PROPERTIES LABELS host TIMEOUT 300 ENVIRONMENT "${host_environment}")
	if(name IN_LIST both_modes)
		add_test(NAME opencl_${name}_functional COMMAND lockstep run --mode functional
			--output ${CMAKE_BINARY_DIR}/host/${name}_functional.txt $<TARGET_FILE:opencl_${name}>)
		set_tests_properties(opencl_${name}_functional PROPERTIES LABELS host TIMEOUT 300 ENVIRONMENT "${host_environment}")
	endif()
endforeach()

# With warps of 64 lanes a sub-group is half a warp.
add_test(NAME opencl_sub_groups_64 COMMAND lockstep run --gpu radeon-r9
	--output ${CMAKE_BINARY_DIR}/host/sub_groups_64.txt $<TARGET_FILE:opencl_sub_groups>)
set_tests_properties(opencl_sub_groups_64 PROPERTIES LABELS host TIMEOUT 300 ENVIRONMENT "${host_environment}")

# CUDA: kernels.c stands for what nvcc would put into each program, so none needs it.
file(GLOB host_programs CONFIGURE_DEPENDS tests/host/cuda/*.c)
list(FILTER host_programs EXCLUDE REGEX "/kernels\\.c$")
foreach(source IN LISTS host_programs)
	get_filename_component(name ${source} NAME_WE)
	add_executable(cuda_${name} ${source} tests/host/cuda/kernels.c)
	target_include_directories(cuda_${name} PRIVATE src)
	target_compile_definitions(cuda_${name} PRIVATE KERNELS_FOLDER="${PROJECT_SOURCE_DIR}/tests/host/cuda")
	set_source_files_properties(tests/host/cuda/kernels.c PROPERTIES OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/tests/host/cuda/kernels.fatbin)
	if(name MATCHES "_12$")
		target_link_libraries(cuda_${name} PRIVATE cudart12)
	else()
		target_link_libraries(cuda_${name} PRIVATE cudart13)
	endif()
	# Found by `lockstep run` alone, as with any program.
	set_target_properties(cuda_${name} PROPERTIES OUTPUT_NAME ${name} SKIP_BUILD_RPATH ON
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/host/cuda)
	add_test(NAME cuda_${name} COMMAND lockstep run
		--output ${CMAKE_BINARY_DIR}/host/cuda_${name}.txt $<TARGET_FILE:cuda_${name}>)
	set_tests_properties(cuda_${name} PROPERTIES LABELS host TIMEOUT 300)
	if(name IN_LIST both_modes)
		add_test(NAME cuda_${name}_functional COMMAND lockstep run --mode functional
			--output ${CMAKE_BINARY_DIR}/host/cuda_${name}_functional.txt $<TARGET_FILE:cuda_${name}>)
		set_tests_properties(cuda_${name}_functional PROPERTIES LABELS host TIMEOUT 300)
	endif()
endforeach()

add_test(NAME run COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/host/test_run.py)
set_tests_properties(run PROPERTIES LABELS host TIMEOUT 600 ENVIRONMENT
	"LOCKSTEP=$<TARGET_FILE:lockstep>;PROGRAMS=${CMAKE_BINARY_DIR}/host/opencl;CUDA_PROGRAMS=${CMAKE_BINARY_DIR}/host/cuda;${host_environment}")
