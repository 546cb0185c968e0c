// A wait two calls deep, in a class template of a namespace: the place has the whole chain of calls.
namespace sync {
template <typename T> struct gate {
	volatile T *word;
	__device__ __forceinline__ bool is_open() const
	{
		return *word != 0;
	}
	__device__ __forceinline__ void pass() const
	{
		while (!is_open())
			;
	}
};
}

static __device__ __forceinline__ void pass_both(int *words)
{
	sync::gate<int>{words}.pass();
	sync::gate<int>{words + 1}.pass();
}

extern "C" __global__ void inlined_chain(int *words)
{
	words[0] = 1;
	pass_both(words);
}
