/* The texts that programs are built from, which are in no file: names for them. */
#ifndef LOCKSTEP_HOST_OPENCL_PROGRAM_TEXT_H
#define LOCKSTEP_HOST_OPENCL_PROGRAM_TEXT_H

/* What messages and lines call this text: "program.cl", the next one "program-2.cl" and so on; the same text has the
 * same name.  `lockstep run` gets the text for its reports.  The name stays. */
const char *program_text_name(const char *text);

#endif
