/* The lines of source around a place, for reports that people read. */
#include "report/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES_AROUND 1

void report_source(struct text *out, const char *file, uint64_t line)
{
	FILE *stream = file ? fopen(file, "r") : NULL;
	char *text = NULL;
	size_t room = 0;
	uint64_t number = 0;
	while (stream && number < line + LINES_AROUND && getline(&text, &room, stream) >= 0) {
		number++;
		if (number + LINES_AROUND < line)
			continue;
		text[strcspn(text, "\r\n")] = '\0';
		text_print(out, "  %c %6" PRIu64 " | %s\n", number == line ? '>' : ' ', number, text);
	}
	free(text);
	if (stream)
		fclose(stream);
}
