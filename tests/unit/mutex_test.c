/* util/mutex.h: what is used rightly works, what is not ends the process. */
#include "util/mutex.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pthread_mutex_t mutex = MUTEX_INITIALIZER;

static void give_back_nothing(void)
{
	mutex_unlock(&mutex);
}

static void take_twice(void)
{
	mutex_lock(&mutex);
	mutex_lock(&mutex);
}

/* The signal that ends a process which does this. */
static int signal_of(void (*function)(void))
{
	int status;
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		signal(SIGABRT, SIG_DFL); /* cmocka's handler would report it */
		fclose(stderr);
		function();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void *count(void *number)
{
	for (int k = 0; k < 10000; k++) {
		mutex_lock(&mutex);
		++*(int *)number;
		mutex_unlock(&mutex);
	}
	return NULL;
}

static void test_excludes(void **state)
{
	pthread_t thread;
	int number = 0;
	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, count, &number), 0);
	count(&number);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(number, 20000);
}

static void test_misused(void **state)
{
	(void)state;
	assert_int_equal(signal_of(give_back_nothing), SIGABRT);
	assert_int_equal(signal_of(take_twice), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_excludes), cmocka_unit_test(test_misused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
