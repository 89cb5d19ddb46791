/* Counts the CPU time that a rank spends inside calls of MPI, most of it waiting for others: loaded before
 * the MPI library by `cargo xtask bench distributed`.
 *
 * The seconds stand in a file of eight bytes, GAUSSFIELD_MPI_CPU with the number of the process behind it,
 * which is mapped: reading them costs the rank nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double *total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *prefix = getenv("GAUSSFIELD_MPI_CPU");
    char path[4096];
    if (!prefix) return;
    snprintf(path, sizeof path, "%s%d", prefix, (int)getpid());
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || ftruncate(file, sizeof *total)) return;
    void *page = mmap(NULL, sizeof *total, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) total = page;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(double seconds) {
    if (!total) return;
    pthread_mutex_lock(&lock);
    *total += seconds;
    pthread_mutex_unlock(&lock);
}

#define COUNTED(name, parameters, arguments)  \
    int name parameters {                     \
        double before = now();                \
        int code = P##name arguments;         \
        add(now() - before);                  \
        return code;                          \
    }

COUNTED(MPI_Wait, (MPI_Request *r, MPI_Status *s), (r, s))
COUNTED(MPI_Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
COUNTED(MPI_Waitany, (int n, MPI_Request *r, int *i, MPI_Status *s), (n, r, i, s))
COUNTED(MPI_Waitsome, (int n, MPI_Request *r, int *o, int *i, MPI_Status *s), (n, r, o, i, s))
COUNTED(MPI_Test, (MPI_Request *r, int *f, MPI_Status *s), (r, f, s))
COUNTED(MPI_Testall, (int n, MPI_Request *r, int *f, MPI_Status *s), (n, r, f, s))
COUNTED(MPI_Probe, (int p, int t, MPI_Comm c, MPI_Status *s), (p, t, c, s))
COUNTED(MPI_Iprobe, (int p, int t, MPI_Comm c, int *f, MPI_Status *s), (p, t, c, f, s))
COUNTED(MPI_Send, (const void *b, int n, MPI_Datatype d, int p, int t, MPI_Comm c), (b, n, d, p, t, c))
COUNTED(MPI_Recv, (void *b, int n, MPI_Datatype d, int p, int t, MPI_Comm c, MPI_Status *s),
        (b, n, d, p, t, c, s))
COUNTED(MPI_Isend, (const void *b, int n, MPI_Datatype d, int p, int t, MPI_Comm c, MPI_Request *r),
        (b, n, d, p, t, c, r))
COUNTED(MPI_Irecv, (void *b, int n, MPI_Datatype d, int p, int t, MPI_Comm c, MPI_Request *r),
        (b, n, d, p, t, c, r))
COUNTED(MPI_Barrier, (MPI_Comm c), (c))
COUNTED(MPI_Bcast, (void *b, int n, MPI_Datatype d, int p, MPI_Comm c), (b, n, d, p, c))
COUNTED(MPI_Reduce, (const void *a, void *b, int n, MPI_Datatype d, MPI_Op o, int p, MPI_Comm c),
        (a, b, n, d, o, p, c))
COUNTED(MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c),
        (a, b, n, d, o, c))
COUNTED(MPI_Scan, (const void *a, void *b, int n, MPI_Datatype d, MPI_Op o, MPI_Comm c), (a, b, n, d, o, c))
COUNTED(MPI_Gather,
        (const void *a, int n, MPI_Datatype d, void *b, int m, MPI_Datatype e, int p, MPI_Comm c),
        (a, n, d, b, m, e, p, c))
COUNTED(MPI_Gatherv,
        (const void *a, int n, MPI_Datatype d, void *b, const int *m, const int *at, MPI_Datatype e, int p,
         MPI_Comm c),
        (a, n, d, b, m, at, e, p, c))
COUNTED(MPI_Allgather, (const void *a, int n, MPI_Datatype d, void *b, int m, MPI_Datatype e, MPI_Comm c),
        (a, n, d, b, m, e, c))
COUNTED(MPI_Allgatherv,
        (const void *a, int n, MPI_Datatype d, void *b, const int *m, const int *at, MPI_Datatype e,
         MPI_Comm c),
        (a, n, d, b, m, at, e, c))
COUNTED(MPI_Alltoall, (const void *a, int n, MPI_Datatype d, void *b, int m, MPI_Datatype e, MPI_Comm c),
        (a, n, d, b, m, e, c))
