/* What OpenCL's front end has of its own: nothing. */
#include "host/device.h"

const char *const front_end_gpu = NULL;
