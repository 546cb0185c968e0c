// The device side of textures.c.  textures.fatbin is made from it by nvcc 13.0:
//     nvcc -fatbin -gencode arch=compute_75,code=compute_75 -o textures.fatbin textures.cu
struct place {
	float x, y, z, w;
};

extern "C" __global__ void fetch_buffer(cudaTextureObject_t t, float *out)
{
	out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x - 2);
}

extern "C" __global__ void fetch_bytes(cudaTextureObject_t t, uchar4 *out)
{
	out[threadIdx.x] = tex1Dfetch<uchar4>(t, threadIdx.x);
}

extern "C" __global__ void fetch_plane(cudaTextureObject_t t, const place *at, float *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = tex2D<float>(t, p.x, p.y);
}

extern "C" __global__ void fetch_pairs(cudaTextureObject_t t, const place *at, float2 *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = tex2D<float2>(t, p.x, p.y);
}

extern "C" __global__ void fetch_space(cudaTextureObject_t t, const place *at, float *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = tex3D<float>(t, p.x, p.y, p.z);
}

extern "C" __global__ void fetch_layer(cudaTextureObject_t t, const place *at, float *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = tex2DLayered<float>(t, p.x, p.y, (int)p.z);
}

extern "C" __global__ void fetch_cube(cudaTextureObject_t t, const place *at, float *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = texCubemap<float>(t, p.x, p.y, p.z);
}

extern "C" __global__ void fetch_level(cudaTextureObject_t t, const place *at, float *out)
{
	place p = at[threadIdx.x];
	out[threadIdx.x] = tex2DLod<float>(t, p.x, p.y, p.z);
}

extern "C" __global__ void increase(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width)
{
	int x = threadIdx.x % width, y = threadIdx.x / width;
	surf2Dwrite(surf2Dread<float>(from, x * 4, y) + 1, to, x * 4, y);
	surf2Dwrite(1e9f, to, x * 4, y + 1000, cudaBoundaryModeZero);
}
