/* compile/resident/library.h: RESIDENT_LIBRARY is the library's path, when this is compiled. */
#include "compile/resident/library.h"

__asm__(".section .rodata\n"
	".global resident_library\n"
	".hidden resident_library\n"
	".balign 16\n"
	"resident_library:\n"
	".incbin \"" RESIDENT_LIBRARY "\"\n"
	"resident_library_end:\n"
	".balign 8\n"
	".global resident_library_size\n"
	".hidden resident_library_size\n"
	"resident_library_size:\n"
	".quad resident_library_end - resident_library\n"
	".previous\n");
