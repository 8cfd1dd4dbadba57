/* launch FILE PROGRAM [ARGUMENT...]: runs the program and writes to FILE how many seconds it took and its peak memory in KiB.
 *
 * A process starts with the peak of the one that it was forked from, which hides that of a small program behind a large script's; and to
 * start a process takes a script as long as some programs run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	FILE *out;

	if (argc < 3)
		return 64;
	clock_gettime(CLOCK_MONOTONIC, &start);
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 71;
	clock_gettime(CLOCK_MONOTONIC, &end);
	out = fopen(argv[1], "w");
	if (!out)
		return 73;
	fprintf(out, "%.6f %ld\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9, usage.ru_maxrss);
	if (fclose(out))
		return 74;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
