/* BoomerAMG of hypre behind four calls, for src/hypre.rs.
 *
 * Compiled against the headers of the hypre and the MPI that are installed, so that their types are
 * checked here and are nobody's business beyond. Every function returns 0, or hypre's error code with
 * the number of the call that failed in *call.
 */
#include <stdint.h>
#include <stdlib.h>
#include <mpi.h>
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>

_Static_assert(sizeof(HYPRE_BigInt) == 8, "hypre must number rows by 64 bits (Debian: libhypre64m-dev)");
_Static_assert(sizeof(HYPRE_Complex) == 8, "hypre must compute with doubles");

typedef struct {
    HYPRE_Solver solver;
    HYPRE_IJMatrix matrix;
    HYPRE_IJVector right, left;
    HYPRE_ParCSRMatrix a;
    HYPRE_ParVector b, x;
    HYPRE_BigInt *rows;
    HYPRE_Complex *zeros;
    HYPRE_Int count;
} gf_multigrid;

#define TRY(number, expression)                        \
    do {                                               \
        HYPRE_Int code = (expression);                 \
        if (code) {                                    \
            HYPRE_ClearAllErrors();                    \
            *call = (number);                          \
            return (int32_t)code;                      \
        }                                              \
    } while (0)

static HYPRE_Int vector(HYPRE_BigInt first, HYPRE_BigInt last, HYPRE_IJVector *v, HYPRE_ParVector *p) {
    HYPRE_Int code = HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, v);
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

/* Rows first .. first + count - 1: `sizes` entries each, their columns and values one row after the other. */
int32_t gf_multigrid_new(int64_t first, int32_t count, const int32_t *sizes, const int64_t *columns,
                         const double *values, gf_multigrid **made, int32_t *call) {
    *made = NULL;
    *call = 0;
    HYPRE_Init(); /* as often as one likes */
    gf_multigrid *m = calloc(1, sizeof *m);
    if (!m) return -1;
    *made = m;
    m->count = count;
    m->rows = calloc((size_t)count + 1, sizeof *m->rows);
    m->zeros = calloc((size_t)count + 1, sizeof *m->zeros);
    HYPRE_Int *entries = calloc((size_t)count + 1, sizeof *entries);
    if (!m->rows || !m->zeros || !entries) {
        free(entries);
        return -1;
    }
    for (HYPRE_Int i = 0; i < m->count; i++) {
        m->rows[i] = first + i;
        entries[i] = sizes[i];
    }
    HYPRE_BigInt last = first + count - 1;
    HYPRE_Int code = HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &m->matrix);
    if (!code) code = HYPRE_IJMatrixSetObjectType(m->matrix, HYPRE_PARCSR);
    if (!code) code = HYPRE_IJMatrixSetRowSizes(m->matrix, entries);
    if (!code) code = HYPRE_IJMatrixInitialize(m->matrix);
    if (!code && count > 0) {
        code = HYPRE_IJMatrixSetValues(m->matrix, m->count, entries, m->rows,
                                       (const HYPRE_BigInt *)columns, values);
    }
    free(entries);
    TRY(1, code);
    TRY(2, HYPRE_IJMatrixAssemble(m->matrix));
    TRY(3, HYPRE_IJMatrixGetObject(m->matrix, (void **)&m->a));
    TRY(4, vector(first, last, &m->right, &m->b));
    TRY(5, vector(first, last, &m->left, &m->x));
    TRY(6, HYPRE_BoomerAMGCreate(&m->solver));
    HYPRE_Solver s = m->solver;
    /* One cycle from zero is one application. */
    TRY(7, HYPRE_BoomerAMGSetTol(s, 0.0));
    TRY(7, HYPRE_BoomerAMGSetMaxIter(s, 1));
    TRY(7, HYPRE_BoomerAMGSetCoarsenType(s, 10)); /* HMIS */
    TRY(7, HYPRE_BoomerAMGSetInterpType(s, 6));   /* extended+i */
    TRY(7, HYPRE_BoomerAMGSetPMaxElmts(s, 4));
    TRY(7, HYPRE_BoomerAMGSetRelaxType(s, 6));    /* symmetric hybrid Gauss-Seidel */
    TRY(7, HYPRE_BoomerAMGSetRelaxOrder(s, 1));   /* coarse points first: without, sharp weights take 30 times as long */
    TRY(8, HYPRE_BoomerAMGSetup(s, m->a, m->b, m->x));
    return 0;
}

/* z = M^-1 r for one column. */
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
