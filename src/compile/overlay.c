/* clang's -ivfsoverlay: a list, in YAML's JSON form, of names and the files that they lead to. */
#include "compile/overlay.h"

#include <string.h>

static void put_quoted(struct text *out, const char *text)
{
	text_append(out, "\"", 1);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			text_append(out, "\\", 1);
		if ((unsigned char)*text >= ' ')
			text_append(out, text, 1);
	}
	text_append(out, "\"", 1);
}

bool overlay_add(struct overlay *overlay, const char *folder, const char *name, const char *text, size_t length)
{
	struct text *out = &overlay->entries;
	const char *path = tool_file(overlay->tool, text, length);
	if (!path)
		return false;
	out->arena = overlay->tool->arena;
	text_print(out, "%s{\"type\":\"file\",\"name\":", out->length ? "," : "");
	put_quoted(out, arena_printf(out->arena, "%s/%s", folder, name));
	text_print(out, ",\"external-contents\":\"%s\"}\n", path);
	return true;
}

bool overlay_end(struct overlay *overlay)
{
	if (!overlay->entries.length)
		return true;
	const char *list = arena_printf(overlay->tool->arena,
		"{\"version\":0,\"case-sensitive\":\"true\",\"use-external-names\":\"false\",\"roots\":[%s]}",
		overlay->entries.at);
	const char *path = tool_file(overlay->tool, list, strlen(list));
	if (!path)
		return false;
	tool_add(overlay->tool, "-ivfsoverlay");
	tool_add(overlay->tool, path);
	return true;
}
