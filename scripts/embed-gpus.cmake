# Writes OUTPUT, a C file with the text of every file named in LIST (paths separated by semicolons), as the table KIND_files.
#     KIND gpu      the GPU models, by name without extension; declared in src/model/gpu_files.h (the default)
#     KIND device   what kernels include, by path below device/; declared in src/compile/device_files.h
#     KIND page     what pages are made of, by name; declared in src/report/page_files.h
if(NOT KIND)
	set(KIND gpu)
endif()
set(header_gpu model/gpu_files.h)
set(header_device compile/device_files.h)
set(header_page report/page_files.h)
file(READ ${LIST} configurations)
string(STRIP "${configurations}" configurations)
list(SORT configurations)

set(rows "")
set(count 0)
foreach(path IN LISTS configurations)
	if(KIND STREQUAL gpu)
		get_filename_component(name ${path} NAME_WLE)
	elseif(KIND STREQUAL page)
		get_filename_component(name ${path} NAME)
	else()
		string(REGEX REPLACE "^.*/device/" "" name ${path})
	endif()
	file(READ ${path} text)
	string(REPLACE "\\" "\\\\" text "${text}")
	string(REPLACE "\"" "\\\"" text "${text}")
	string(REPLACE "??" "?\\?" text "${text}") # no trigraphs
	string(REPLACE "\r" "" text "${text}")
	string(REPLACE "\n" "\\n\"\n\t \"" text "${text}")
	string(APPEND rows "\t{\"${name}\",\n\t \"${text}\"},\n")
	math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "/* Made by scripts/embed-gpus.cmake: do not edit. */
#include \"${header_${KIND}}\"

const struct ${KIND}_file ${KIND}_files[] = {
${rows}\t{NULL, NULL},
};

const size_t ${KIND}_file_count = ${count};
")
