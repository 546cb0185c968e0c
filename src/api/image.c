/* Texture and surface objects and references. */
#include "api/api.h"

#include "machine/lsu/texel.h"

#include <string.h>

uint64_t lockstep_image_create(
	struct lockstep *lockstep, const struct lockstep_image *image, struct lockstep_error *error)
{
	const char *problem = image_problem(&lockstep->gpu.space, image);

	if (problem) {
		api_fail_with(error, "%s", problem);
		return 0;
	}
	return image_create(&lockstep->gpu.images, image);
}

bool lockstep_image_destroy(struct lockstep *lockstep, uint64_t handle)
{
	return image_destroy(&lockstep->gpu.images, handle);
}

static const struct ptx_variable *find_reference(const struct lockstep_module *module, const char *name)
{
	for (uint32_t k = 0; k < module->ptx->variables.count; k++)
		if (module->ptx->variables.at[k]->opaque && !strcmp(module->ptx->variables.at[k]->name, name))
			return module->ptx->variables.at[k];
	return NULL;
}

bool lockstep_image_bind(struct lockstep *lockstep, struct lockstep_module *module, const char *name,
	const struct lockstep_image *image, struct lockstep_error *error)
{
	const struct ptx_variable *v = find_reference(module, name);
	const char *problem = image ? image_problem(&lockstep->gpu.space, image) : NULL;

	if (!v || (image && (v->opaque == OPAQUE_TEXTURE) != (image->use == LOCKSTEP_TEXTURE)))
		return api_fail_with(error, "%s: no %s reference '%s'", module->ptx->file,
			!image                           ? "image"
			: image->use == LOCKSTEP_TEXTURE ? "texture"
							 : "surface",
			name);
	if (problem)
		return api_fail_with(error, "%s", problem);
	image_bind(&lockstep->gpu.images, module->addresses[v->index], image);
	return true;
}

void lockstep_image_texel(const struct lockstep_image *image, const uint32_t component[4], void *texel)
{
	uint8_t bytes[TEXEL_BYTES];

	texel_write(image, component, bytes);
	memcpy(texel, bytes, image_texel_bytes(image));
}

const struct lockstep_image *lockstep_image(const struct lockstep *lockstep, uint64_t handle)
{
	return image_find(&lockstep->gpu.images, handle);
}
