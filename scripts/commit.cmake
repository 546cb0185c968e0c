# Writes OUTPUT: the commit of the source in FOLDER, with "-changed" behind it where files differ from it; empty where FOLDER is no
# checkout of its own, such as an unpacked archive.  Left as it is when nothing has changed.
set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${FOLDER}/.git)
	execute_process(COMMAND ${GIT} --no-optional-locks -C ${FOLDER} describe --always --dirty=-changed --abbrev=12
		OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${commit}\n")
