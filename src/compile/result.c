/* The texts that leave this folder are from malloc, so that C and C++ callers can free them one by one. */
#include "compile/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *result_copy(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	if (!copy) {
		fprintf(stderr, "lockstep: out of memory (%zu bytes)\n", length + 1);
		exit(2);
	}
	if (length)
		memcpy(copy, text, length);
	copy[length] = 0;
	return copy;
}

char *result_append(char *text, const char *more)
{
	size_t before = strlen(text), length = strlen(more) + 1;
	char *whole = realloc(text, before + length);
	if (!whole) {
		fprintf(stderr, "lockstep: out of memory (%zu bytes)\n", before + length);
		exit(2);
	}
	memcpy(whole + before, more, length);
	return whole;
}
