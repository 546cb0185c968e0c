/* What a file is. */
#include "util/file_kind.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINNING 4096 /* bytes that are read */

/* With a NUL behind them; 0: it is no regular file, or cannot be read. */
static size_t read_beginning(const char *file, char text[BEGINNING + 1])
{
	struct stat status;
	ssize_t length = 0;
	if (stat(file, &status) || !S_ISREG(status.st_mode))
		return 0;
	int descriptor = open(file, O_RDONLY | O_CLOEXEC);
	if (descriptor >= 0) {
		length = read(descriptor, text, BEGINNING);
		close(descriptor);
	}
	text[length > 0 ? length : 0] = '\0';
	return length > 0 ? (size_t)length : 0;
}

static bool ends_in(const char *file, const char *ending)
{
	size_t length = strlen(file), end = strlen(ending);
	return length > end && !strcmp(file + length - end, ending);
}

/* The first that fits.  `begins`: the file does so; `holds`: its beginning does; `ends`: its name does. */
static const struct row {
	enum file_kind kind;
	const char *begins, *holds, *ends;
	const char *what, *remedy; /* the remedy has the file's name for % */
} rows[] = {
	{FILE_PROGRAM, ELFMAG, NULL, NULL, "a program", "`lockstep run` runs programs"},
	{FILE_FOREIGN, "MZ", NULL, NULL, "a program for Windows", "Lockstep runs programs for Linux"},
	{FILE_FAT_BINARY, "\x50\xed\x55\xba", NULL, NULL, "a fat binary",
		"`lockstep run` runs the program that loads it"},
	{FILE_REPORT, "{", "\"lockstep-report/1\"", NULL, "a report",
		"`lockstep report % -o PAGE.html` makes a page of it"},
	{FILE_TIMELINE, "{", "\"traceEvents\"", NULL, "a timeline", "ui.perfetto.dev shows it"},
	{FILE_SARIF, "{", "sarif", NULL, "a file of findings", "CI systems read it"},
	{FILE_PAGE, "<!doctype html", NULL, NULL, "a page", "a browser shows it"},
	{FILE_LITMUS, "PTX ", NULL, NULL, "a litmus test", "`lockstep litmus %` plays it"},
	{FILE_LITMUS, NULL, NULL, ".litmus", "a litmus test", "`lockstep litmus %` plays it"},
	{FILE_SOURCE, NULL, NULL, ".cu", "CUDA C", "`lockstep kernel %` runs a kernel of it"},
	{FILE_SOURCE, NULL, NULL, ".cl", "OpenCL C", "`lockstep kernel %` runs a kernel of it"},
	{FILE_PTX, NULL, NULL, ".ptx", "PTX", "`lockstep kernel %` runs a kernel of it"},
	{FILE_PTX, NULL, "\n.version ", NULL, "PTX", "`lockstep kernel %` runs a kernel of it"},
	{FILE_HOST_SOURCE, NULL, NULL, ".c", "source in C", "compile it, and give the program to `lockstep run`"},
	{FILE_HOST_SOURCE, NULL, NULL, ".cc", "source in C++", "compile it, and give the program to `lockstep run`"},
	{FILE_HOST_SOURCE, NULL, NULL, ".cpp", "source in C++", "compile it, and give the program to `lockstep run`"},
	{FILE_HOST_SOURCE, NULL, NULL, ".cxx", "source in C++", "compile it, and give the program to `lockstep run`"},
	{FILE_HOST_SOURCE, NULL, NULL, ".py", "a script in Python", "`lockstep run python3 %` runs it"},
};

static const struct row *row_of(const char *file)
{
	char text[BEGINNING + 1];
	const struct row *row = rows, *end = rows + sizeof rows / sizeof *rows;
	if (!read_beginning(file, text))
		return NULL;
	while (row < end &&
		((row->begins && strncmp(text, row->begins, strlen(row->begins))) ||
			(row->holds && !strstr(text, row->holds)) || (row->ends && !ends_in(file, row->ends))))
		row++;
	return row < end ? row : NULL;
}

enum file_kind file_kind_of(const char *file)
{
	const struct row *row = row_of(file);
	return row ? row->kind : FILE_OTHER;
}

void file_kind_explain(const char *file, int expected, const char *words, struct diagnostic *diagnostic)
{
	const struct row *row = diagnostic->failed ? row_of(file) : NULL;
	if (!row || ((int)row->kind & expected))
		return;
	const char *name = strchr(row->remedy, '%');
	int before = name ? (int)(name - row->remedy) : (int)strlen(row->remedy);
	*diagnostic = (struct diagnostic){0};
	diagnose(diagnostic, (struct place){.file = file}, "is %s, expected %s: %.*s%s%s", row->what, words, before,
		row->remedy, name ? file : "", name ? name + 1 : "");
}

/* ---- Processors ---- */

static const char *processor_of(const Elf64_Ehdr *header)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} processors[] = {{EM_386, "32-bit x86"}, {EM_X86_64, "x86-64"}, {EM_ARM, "32-bit ARM"},
		{EM_AARCH64, "64-bit ARM"}, {EM_RISCV, "RISC-V"}, {EM_PPC64, "POWER"}, {EM_CUDA, "an NVIDIA GPU"}};
	if (header->e_machine == EM_X86_64 && header->e_ident[EI_CLASS] == ELFCLASS32)
		return "x32";
	for (size_t k = 0; k < sizeof processors / sizeof *processors; k++)
		if (processors[k].machine == header->e_machine)
			return processors[k].name;
	return "another processor";
}

/* Both classes have these members at the same places. */
static bool read_header(const char *file, Elf64_Ehdr *header)
{
	char text[BEGINNING + 1] = "";
	size_t length = read_beginning(file, text);
	memcpy(header, text, sizeof *header);
	return length >= sizeof(Elf32_Ehdr) && !memcmp(text, ELFMAG, SELFMAG);
}

bool file_kind_is_foreign(const char *file, const char **processor)
{
	Elf64_Ehdr header, own;
	if (!read_header(file, &header) || !read_header("/proc/self/exe", &own) ||
		(header.e_machine == own.e_machine && header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS]))
		return false;
	*processor = processor_of(&header);
	return true;
}
