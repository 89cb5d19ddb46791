/* BoomerAMG of hypre behind a few calls, for src/hypre.rs.
 *
 * Compiled against the headers of the hypre and the MPI that are installed, so that their types are
 * checked here and are nobody's business beyond. Every function returns 0, or hypre's error code with
 * the number of the call that failed in *call. Each is a call of all ranks or of one alone, and says
 * which: between two of them the ranks tell each other whether they go on.
 */
#include <stdint.h>
#include <stdlib.h>
#include <mpi.h>
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>

_Static_assert(sizeof(HYPRE_BigInt) == 8, "hypre must number rows by 64 bits (Debian: libhypre64m-dev)");
_Static_assert(sizeof(HYPRE_Int) == 4, "hypre must count the rows of a rank by 32 bits (Debian: libhypre64m-dev)");
_Static_assert(sizeof(HYPRE_Complex) == 8, "hypre must compute with doubles");

typedef struct {
    HYPRE_Solver solver;
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector right, left;
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector b, x;
    HYPRE_BigInt first, *rows;
    HYPRE_Complex *zeros;
    HYPRE_Int count;
} gf_multigrid;

#ifdef GF_FAULTS
/* For tests: GAUSSFIELD_HYPRE_FAULT=RANK:CALL makes this call fail on this rank, before it is made. */
#include <stdio.h>
static int fault(int number) {
    const char *told = getenv("GAUSSFIELD_HYPRE_FAULT");
    int rank, own, call;
    if (!told || sscanf(told, "%d:%d", &rank, &call) != 2) return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    return rank == own && call == number;
}
#else
#define fault(number) 0
#endif

/* The name of its variable is nobody else's: an initialiser that named it would read itself. */
#define TRY(number, expression)                                                   \
    do {                                                                          \
        HYPRE_Int code_of_try = fault(number) ? HYPRE_ERROR_MEMORY : (expression); \
        if (code_of_try) {                                                        \
            HYPRE_ClearAllErrors();                                               \
            *call = (number);                                                     \
            return (int32_t)code_of_try;                                          \
        }                                                                         \
    } while (0)

/* hypre's own copy of the world: where one rank failed, what the others still send each other in here
 * does not meet what is said outside. Kept until MPI ends. */
static MPI_Comm inner = MPI_COMM_NULL;

static HYPRE_Int vector(HYPRE_BigInt first, HYPRE_BigInt last, HYPRE_IJVector *v, HYPRE_ParVector *p) {
    HYPRE_Int code = HYPRE_IJVectorCreate(inner, first, last, v);
    if (!code) code = HYPRE_IJVectorSetObjectType(*v, HYPRE_PARCSR);
    if (!code) code = HYPRE_IJVectorInitialize(*v);
    if (!code) code = HYPRE_IJVectorAssemble(*v);
    if (!code) code = HYPRE_IJVectorGetObject(*v, (void **)p);
    return code;
}

void gf_multigrid_free(gf_multigrid *m) {
    if (!m) return;
    if (m->solver) HYPRE_BoomerAMGDestroy(m->solver);
    if (m->matrix) HYPRE_IJMatrixDestroy(m->matrix);
    if (m->right) HYPRE_IJVectorDestroy(m->right);
    if (m->left) HYPRE_IJVectorDestroy(m->left);
    free(m->rows);
    free(m->zeros);
    free(m);
}

/* Whether this is rank `rank` of `size` under an MPI that runs: members that are threads are not. One alone. */
static int in_world(int32_t rank, int32_t size) {
    int begun = 0, ended = 0, own = -1, all = -1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended) return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    return own == rank && all == size;
}

/* Memory for rows first .. first + count - 1. One alone. */
int32_t gf_multigrid_new(int32_t rank, int32_t size, int64_t first, int32_t count, gf_multigrid **made,
                         int32_t *call) {
    *made = NULL;
    *call = 0;
    if (!in_world(rank, size)) {
        *call = 1;
        return -1;
    }
    HYPRE_Init(); /* as often as one likes */
    gf_multigrid *m = calloc(1, sizeof *m);
    TRY(2, m ? 0 : HYPRE_ERROR_MEMORY);
    *made = m;
    m->first = first;
    m->count = count;
    m->rows = calloc((size_t)count + 1, sizeof *m->rows);
    m->zeros = calloc((size_t)count + 1, sizeof *m->zeros);
    TRY(2, m->rows && m->zeros ? 0 : HYPRE_ERROR_MEMORY);
    for (HYPRE_Int i = 0; i < count; i++) m->rows[i] = first + i;
    return 0;
}

/* The empty matrix. All ranks. */
int32_t gf_multigrid_matrix(gf_multigrid *m, int32_t *call) {
    HYPRE_BigInt last = m->first + m->count - 1;
    if (inner == MPI_COMM_NULL) TRY(3, MPI_Comm_dup(MPI_COMM_WORLD, &inner));
    TRY(3, HYPRE_IJMatrixCreate(inner, m->first, last, m->first, last, &m->matrix));
    return 0;
}

/* How many entries each row has in own columns and in those of others. One alone. */
int32_t gf_multigrid_sizes(gf_multigrid *m, const int32_t *own, const int32_t *others, int32_t *call) {
    TRY(4, HYPRE_IJMatrixSetObjectType(m->matrix, HYPRE_PARCSR));
    /* Exact: entries go where they stay, and not through a second copy. */
    TRY(4, HYPRE_IJMatrixSetDiagOffdSizes(m->matrix, own, others));
    TRY(4, HYPRE_IJMatrixInitialize(m->matrix));
    return 0;
}

/* `sizes[i]` entries of the row i behind `from`, their columns and values one row after the other. One alone. */
int32_t gf_multigrid_fill(gf_multigrid *m, int32_t from, int32_t count, int32_t *sizes, const int64_t *columns,
                          const double *values, int32_t *call) {
    const HYPRE_BigInt *at = (const HYPRE_BigInt *)columns;
    TRY(4, HYPRE_IJMatrixSetValues(m->matrix, count, sizes, m->rows + from, at, values));
    return 0;
}

/* The solver and its settings. One alone. */
int32_t gf_multigrid_settings(gf_multigrid *m, int32_t *call) {
    TRY(5, HYPRE_BoomerAMGCreate(&m->solver));
    HYPRE_Solver s = m->solver;
    /* One cycle from zero is one application. */
    TRY(5, HYPRE_BoomerAMGSetTol(s, 0.0));
    TRY(5, HYPRE_BoomerAMGSetMaxIter(s, 1));
    TRY(5, HYPRE_BoomerAMGSetCoarsenType(s, 10)); /* HMIS */
    TRY(5, HYPRE_BoomerAMGSetInterpType(s, 6));   /* extended+i */
    TRY(5, HYPRE_BoomerAMGSetPMaxElmts(s, 4));
    TRY(5, HYPRE_BoomerAMGSetRelaxType(s, 6));    /* symmetric hybrid Gauss-Seidel */
    TRY(5, HYPRE_BoomerAMGSetRelaxOrder(s, 1));   /* coarse points first: without, sharp weights take 30 times as long */
    return 0;
}

/* Matrix and vectors. All ranks. */
int32_t gf_multigrid_assemble(gf_multigrid *m, int32_t *call) {
    HYPRE_BigInt last = m->first + m->count - 1;
    TRY(6, HYPRE_IJMatrixAssemble(m->matrix));
    TRY(6, HYPRE_IJMatrixGetObject(m->matrix, (void **)&m->a));
    TRY(7, vector(m->first, last, &m->right, &m->b));
    TRY(7, vector(m->first, last, &m->left, &m->x));
    return 0;
}

/* Coarse levels. All ranks. */
int32_t gf_multigrid_setup(gf_multigrid *m, int32_t *call) {
    TRY(8, HYPRE_BoomerAMGSetup(m->solver, m->a, m->b, m->x));
    return 0;
}

/* z = M^-1 r for one column. All ranks. */
int32_t gf_multigrid_apply(gf_multigrid *m, const double *r, double *z, int32_t *call) {
    *call = 0;
    TRY(9, HYPRE_IJVectorSetValues(m->right, m->count, m->rows, r));
    TRY(9, HYPRE_IJVectorSetValues(m->left, m->count, m->rows, m->zeros));
    HYPRE_Int code = HYPRE_BoomerAMGSolve(m->solver, m->a, m->b, m->x);
    /* That one cycle did not reach the tolerance of zero is no error. */
    if (HYPRE_CheckError(code, HYPRE_ERROR_CONV)) {
        HYPRE_ClearError(HYPRE_ERROR_CONV);
        code &= ~HYPRE_ERROR_CONV;
    }
    TRY(10, code);
    TRY(11, HYPRE_IJVectorGetValues(m->left, m->count, m->rows, z));
    return 0;
}
