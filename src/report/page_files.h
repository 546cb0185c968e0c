/* What a page is made of, embedded into the program by the build: src/report/page/ and third_party/uplot/. */
#ifndef LOCKSTEP_REPORT_PAGE_FILES_H
#define LOCKSTEP_REPORT_PAGE_FILES_H

#include <stddef.h>

struct page_file {
	const char *name; /* with extension, without folder: "page.html" */
	const char *text;
};
extern const struct page_file page_files[];
extern const size_t page_file_count;

#endif
