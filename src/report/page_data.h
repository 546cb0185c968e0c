/* The data of a page: results, made small enough for a browser. */
#ifndef LOCKSTEP_REPORT_PAGE_DATA_H
#define LOCKSTEP_REPORT_PAGE_DATA_H

#include "report/page.h"

/* An object, the caller's (its members: page_data.c). */
struct json_object *page_data(const struct page_result *results, size_t count);

#endif
