// C++ virtual functions on the device: objects built in local and shared memory by lane, calls through their tables.
// launch: --grid 1 --block 64 --arg buf:out:s32:128:zero --dump out
struct Shape {
	__device__ virtual int area() const = 0;
	__device__ virtual int sides() const { return 4; }
};
struct Square : Shape {
	int side;
	__device__ Square(int s) : side(s) {}
	__device__ int area() const override { return side * side; }
};
struct Box : Square {
	int height;
	__device__ Box(int s, int h) : Square(s), height(h) {}
	__device__ int area() const override { return side * height; }
};
struct Circle : Shape {
	int radius;
	__device__ Circle(int r) : radius(r) {}
	__device__ int area() const override { return 3 * radius * radius; }
	__device__ int sides() const override { return 0; }
};
__device__ __noinline__ int total(const Shape *shape, int factor)
{
	return shape->area() * factor + shape->sides();
}
extern "C" __global__ void virtual_calls(int *out)
{
	int t = threadIdx.x;
	Square square(t);
	Box box(t, 3);
	Circle circle(t + 1);
	const Shape *shapes[3] = {&square, &box, &circle};
	out[t] = total(shapes[t % 3], 2);
	out[t + 64] = total(shapes[(t * t) % 3], 1) + total(shapes[(t + 1) % 3], 10);
}
