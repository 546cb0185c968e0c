/* compile/resident: a program that has been started once and forks for each run gets the words, the environment, the
 * folder and the files of that run, and its status comes back.  The program is this test itself. */
#include "compile/server.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char self[4096];

/* As the program: says what it was given, and ends with so many words as its status. */
static int say(int count, char **words)
{
	char folder[4096], input[100];
	struct sigaction action;
	const char *value = getenv("LOCKSTEP_TEST_VALUE");
	ssize_t got = read(0, input, sizeof input);
	for (int k = 2; k < count; k++) {
		char text[100] = "";
		FILE *file = *words[k] == '/' ? fopen(words[k], "r") : NULL;
		printf("[%s]", file ? fgets(text, sizeof text, file) : words[k]);
	}
	sigaction(SIGCHLD, NULL, &action);
	printf(" %s, %s, %s, %s, %s %.*s\n", words[count] ? "more" : "no more", value ? value : "none",
		getcwd(folder, sizeof folder), action.sa_handler == SIG_DFL ? "default" : "ignored",
		getenv("LD_PRELOAD") || getenv("LOCKSTEP_RESIDENT_SOCKET") ? "resident" : "as usual",
		(int)(got > 0 ? got : 0), input);
	fprintf(stderr, "to the log");
	return count;
}

/* Reads what was written to the file. */
static const char *text_of(int file)
{
	char text[8192];
	ssize_t got = pread(file, text, sizeof text, 0);
	close(file);
	assert_true(got >= 0);
	return arena_copy(&arena, text, (size_t)got);
}

static int file_with(const char *text)
{
	int file = memfd_create("test", MFD_CLOEXEC);
	assert_true(file > 2);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	lseek(file, 0, SEEK_SET);
	return file;
}

/* Their numbers here descend; there they arrive at ascending ones, about the same, so that each is in the way of
 * another. */
#define FIRST_NUMBER 9

static void run(const char *const *words, uint32_t files, int expected_status, const char *expected)
{
	struct tool tool = {.arena = &arena};
	int status = -1, standard[3] = {file_with("input"), file_with(""), file_with("")};
	tool_add(&tool, self);
	tool_add(&tool, "say");
	tool_add_all(&tool, words);
	for (uint32_t k = 0; k < files; k++) {
		int file = file_with(arena_printf(&arena, "file %u", k)), number = FIRST_NUMBER + (int)(files - k);
		assert_int_equal(fcntl(number, F_GETFD), -1);
		assert_int_equal(dup2(file, number), number);
		close(file);
		*vector_push(&arena, &tool.files) = number;
		tool_add(&tool, arena_printf(&arena, "/proc/self/fd/%d", number));
	}
	*vector_push(&arena, &tool.words) = NULL;
	assert_true(server_run(&tool, standard, &status));
	assert_int_equal(status, expected_status);
	assert_string_equal(text_of(standard[1]), expected);
	assert_string_equal(text_of(standard[2]), "to the log");
	close(standard[0]);
	tool_end(&tool);
}

static void each_run_is_as_if_started(void **state)
{
	(void)state;
#if defined LOCKSTEP_SANITIZE_ADDRESS || defined LOCKSTEP_SANITIZE_THREAD
	skip(); /* their libraries must come first, and ours does */
#endif
	static const char *const three[] = {"one", "", "three words", NULL}, *const none[] = {NULL};
	setenv("LOCKSTEP_TEST_VALUE", "first", 1);
	assert_int_equal(chdir("/usr"), 0);
	run(three, 0, 5, "[one][][three words] no more, first, /usr, default, as usual input\n");
	setenv("LOCKSTEP_TEST_VALUE", "second", 1);
	assert_int_equal(chdir("/"), 0);
	run(none, 2, 4, "[file 0][file 1] no more, second, /, default, as usual input\n");
	unsetenv("LOCKSTEP_TEST_VALUE");
	run(three, 9, 14,
		"[one][][three words][file 0][file 1][file 2][file 3][file 4][file 5][file 6][file 7][file 8] no more, "
		"none, /, default, as usual input\n");
}

int main(int count, char **words)
{
	if (count > 1 && !strcmp(words[1], "say"))
		return say(count, words);
	closefrom(3); /* whatever this was started with, so that all numbers are free */
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_run_is_as_if_started)};
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length <= 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
