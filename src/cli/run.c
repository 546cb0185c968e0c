/* `lockstep run`: unmodified host programs.  They need the OpenCL and CUDA front ends, which are separate libraries. */
#include "cli/cli.h"

int command_run(int count, char **words)
{
	if (count > 1 && wants_help(words[1])) {
		print_usage(words[0]);
		return STATUS_COMPLETED;
	}
	return fail_line("lockstep run: this build has no OpenCL or CUDA front end, with which `run` arrives; "
			 "`lockstep kernel` runs a kernel without its host program");
}
