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

static void want_it(void)
{
	mutex_must_be_held(&mutex);
}

static pthread_mutex_t many[9] = {MUTEX_INITIALIZER, MUTEX_INITIALIZER, MUTEX_INITIALIZER, MUTEX_INITIALIZER,
	MUTEX_INITIALIZER, MUTEX_INITIALIZER, MUTEX_INITIALIZER, MUTEX_INITIALIZER, MUTEX_INITIALIZER};

static void take_too_many(void)
{
	for (int k = 0; k < 9; k++)
		mutex_lock(&many[k]);
}

static void *want_other(void *nothing)
{
	want_it();
	return nothing;
}

/* Another thread's does not count. */
static void want_others(void)
{
	pthread_t thread;
	mutex_lock(&mutex);
	pthread_create(&thread, NULL, want_other, NULL);
	pthread_join(thread, NULL);
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
	assert_int_equal(signal_of(want_it), SIGABRT);
	assert_int_equal(signal_of(want_others), SIGABRT);
	assert_int_equal(signal_of(take_too_many), SIGABRT);
}

static void *try_it(void *got)
{
	struct timespec past = {.tv_sec = 1};
	*(bool *)got = mutex_try_lock(&mutex) || mutex_lock_until(&mutex, &past);
	return NULL;
}

/* Held, given back in any order, held by another, and not to be had twice. */
static void test_held(void **state)
{
	const struct timespec past = {.tv_sec = 1};
	pthread_t thread;
	bool got = true;
	(void)state;
	for (int k = 0; k < 8; k++)
		mutex_lock(&many[k]);
	for (int k = 0; k < 8; k++) {
		mutex_must_be_held(&many[k]);
		mutex_unlock(&many[k]);
	}
	assert_true(mutex_try_lock(&mutex));
	mutex_must_be_held(&mutex);
	assert_false(mutex_try_lock(&mutex));
	assert_false(mutex_lock_until(&mutex, &past));
	assert_int_equal(pthread_create(&thread, NULL, try_it, &got), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(got);
	mutex_unlock(&mutex);
	assert_true(mutex_lock_until(&mutex, &past));
	mutex_must_be_held(&mutex);
	mutex_unlock(&mutex);
	assert_int_equal(pthread_create(&thread, NULL, count, &(int){0}), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_excludes), cmocka_unit_test(test_misused), cmocka_unit_test(test_held)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
