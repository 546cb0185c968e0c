// Pointers from one address space into another and back (OpenCL C 3.0, 6.7.9 and 6.15.8): NULL stays NULL, and nothing else is.
// launch: --block 2 --shared 64 --arg buf:out:s32:80:zero --arg buf:data:s32:4:iota --arg u64:160 --dump out
constant int fixed[2] = {11, 12};
constant int *constant table[2] = {fixed + 1, 0};
int shown = 7;
int *global anywhere = &shown;             /* a generic pointer in program scope */
global int *global places[2] = {&shown, 0};
local int *constant no_places[2] = {0, 0};

struct pair {
	int *any;
	local int *near;
};

__attribute__((noinline)) int is_null(int *p)
{
	return !p;
}

__attribute__((noinline)) int same(int *p, local int *q)
{
	return p == q;
}

__attribute__((noinline)) local int *back(int *p)
{
	return (local int *)p;
}

kernel void pointers(global int *out, global int *data, local int *given)
{
	local int first[4], second[4];
	local int *volatile no_local = 0, *volatile here = first, *volatile there = second, *volatile dynamic = given;
	private int *volatile no_private = 0;
	global int *volatile no_global = 0;
	int *volatile none = 0;
	int own = 5;
	global int *o = out + 40 * get_local_id(0);
	if (get_local_id(0) == 1)
		first[0] = second[0] = given[0] = 3;
	barrier(CLK_LOCAL_MEM_FENCE);

	/* no object is at NULL: the first byte of local memory neither */
	*o++ = !here, *o++ = !there, *o++ = !dynamic, *o++ = here == 0;

	/* NULL made generic */
	*o++ = is_null(no_local), *o++ = is_null(no_private), *o++ = is_null(no_global), *o++ = is_null(0);
	*o++ = same(no_local, no_local), *o++ = same(none, no_local), *o++ = (int *)no_local == none;

	/* and back */
	*o++ = !back(none), *o++ = back(none) == no_local, *o++ = !(global int *)none, *o++ = !(private int *)none;
	*o++ = !(local int *)(int *)no_local;

	/* what is no NULL */
	*o++ = is_null(here), *o++ = same(here, here), *o++ = same(here, there), *o++ = back(here) == here, *o++ = *back(here);
	*o++ = is_null(data), *o++ = is_null(&own), *o++ = *(int *)dynamic;

	/* in memory */
	int *list[3] = {no_local, here, data};
	struct pair pairs[2] = {{no_local, no_local}, {here, here}};
	*o++ = is_null(list[0]) + 2 * is_null(list[1]) + 4 * is_null(list[2]);
	*o++ = is_null(pairs[0].near) + 2 * is_null(pairs[1].near) + 4 * (pairs[1].any == pairs[1].near);
	*o++ = *table[0] + !table[1], *o++ = *anywhere, *o++ = *places[0] + !places[1], *o++ = is_null(no_places[get_local_id(0)]);

	/* the functions */
	int *any = here;
	const int *any_const = data;
	volatile int *any_volatile = &own;
	*o++ = to_local(any) == here, *o++ = !to_global(any) + !to_private(any), *o++ = to_global(any_const) == data;
	*o++ = !to_local(any_const) + !to_private(any_const);
	*o++ = to_private(any_volatile) == &own, *o++ = !to_local(any_volatile) + !to_global(any_volatile);
	*o++ = !to_local(none) + !to_global(none) + !to_private(none);
	*o++ = get_fence(any) == CLK_LOCAL_MEM_FENCE, *o++ = get_fence(any_const) == CLK_GLOBAL_MEM_FENCE;
	*o++ = is_null(to_local(any_const == data ? none : any)) + 2 * is_null(to_local(any));
}
