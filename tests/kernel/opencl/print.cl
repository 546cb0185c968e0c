// printf: length modifiers, vectors of all kinds, strings, what it returns.
// launch: --grid 1 --block 2 --arg buf:out:s32:2:fill=7 --dump out
kernel void print(global int *out)
{
	size_t t = get_global_id(0);
	float4 f = (float4)(1.5f, 2, -3, t);
	uchar3 c = (uchar3)(250, 251, 252);
	long2 l = (long2)(-1, 1L << 40);
	out[t] = printf("%zu: %d %u %#x %ld %hhd %c %s %5.2f %e %%\n", t, -5, 7u, 255, 1L << 35, (char)44, 'A' + (int)t, "text", 1.25f, 1e10);
	printf("%v4hlf|%2.1v4hlf|%v3hhu|%v2ld|%v8hd|%v2lf|%#v4hlx\n", f, f, c, l, (short8)(-5), (double2)(.25, .5), (uint4)(10, 11, 12, t));
	printf("%i %hhi %hi %li %v2hhi\n", -6, (char)-7, (short)-8, -9L, (char2)(-10, 11));
}
