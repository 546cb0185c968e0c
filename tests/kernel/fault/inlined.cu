// A store outside of the buffer, in a helper that two lines call: the second one is wrong.
template <typename T> __device__ __forceinline__ void put(T *to, int at, T value)
{
	to[at] = value;
}

extern "C" __global__ void inlined(int *data)
{
	put(data, threadIdx.x, 1);
	put(data, threadIdx.x + 1000, 2);
}
