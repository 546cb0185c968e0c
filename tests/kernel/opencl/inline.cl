// C99's inline functions that the compiler does not put into their callers: one calls another.
// launch: --grid 1 --block 32 --arg buf:out:u32:32:zero --dump out
inline __attribute__((noinline)) uint square(uint x)
{
	return x * x;
}

inline __attribute__((noinline)) uint shifted(uint x)
{
	return square(x + 1) + get_local_size(0);
}

kernel void f(global uint *out)
{
	uint g = get_global_id(0);
	out[g] = shifted(g) + square(g);
}
