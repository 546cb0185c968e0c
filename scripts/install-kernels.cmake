# Installs the kernels of bench/ and tests/ that README and the pages name, under the same names below FOLDER, so that their commands work
# in a copy of it.  Run by cmake_install.cmake, with SOURCE and FOLDER set; tests/docs.py runs the pages there.
file(GLOB pages ${SOURCE}/README.md ${SOURCE}/docs/*.md)
foreach(page ${pages})
	file(READ ${page} text)
	string(REGEX MATCHALL "(bench|tests/(kernel|lint|litmus))/[A-Za-z0-9_/-]+[.](ptx|cl|cu|litmus)" names "${text}")
	foreach(name ${names})
		get_filename_component(folder ${name} DIRECTORY)
		if(EXISTS ${SOURCE}/${name})
			file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${FOLDER}/${folder}" TYPE FILE FILES ${SOURCE}/${name})
			get_filename_component(stem ${name} NAME_WE)
			if(EXISTS ${SOURCE}/${folder}/ptx/${stem}) # its pinned PTX
				file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/${FOLDER}/${folder}/ptx" TYPE DIRECTORY FILES ${SOURCE}/${folder}/ptx/${stem})
			endif()
		endif()
	endforeach()
endforeach()
