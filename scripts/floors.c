/* The work of three kernels in plain C, from its definition: what scripts/floors.py compares hemlp's with.
 *
 * Instances are rows of classes (CSR); `ptr`, `nodes` and `up` are the ancestors of each class, itself included, and
 * how far they are. Hierarchies with a gate, lengths of edges and weights are left out, and nobody may interrupt.
 */
#include <stdint.h>

typedef struct { const int64_t *pred_ptr; const int32_t *pred; const int64_t *true_ptr; const int32_t *truth; } Sides;

/* |closure(P)|, |closure(T)| and |closure(P) & closure(T)|; `stamp` is -1 everywhere. */
void tally(int64_t size, const Sides *s, const int64_t *restrict ptr, const int32_t *restrict nodes,
           int32_t *restrict stamp, double *restrict sums, uint8_t *restrict equal) {
    for (int64_t i = 0; i < size; i++) {
        int32_t p_mark = (int32_t)(2 * i), t_mark = p_mark + 1;
        int64_t p = 0, t = 0, both = 0;
        for (int64_t c = s->pred_ptr[i]; c < s->pred_ptr[i + 1]; c++)
            for (int64_t k = ptr[s->pred[c]]; k < ptr[s->pred[c] + 1]; k++) {
                p += stamp[nodes[k]] != p_mark;
                stamp[nodes[k]] = p_mark;
            }
        for (int64_t c = s->true_ptr[i]; c < s->true_ptr[i + 1]; c++)
            for (int64_t k = ptr[s->truth[c]]; k < ptr[s->truth[c] + 1]; k++) {
                int32_t seen = stamp[nodes[k]];
                t += seen != t_mark;
                both += seen == p_mark;
                stamp[nodes[k]] = t_mark;
            }
        sums[3 * i] = (double)p;
        sums[3 * i + 1] = (double)t;
        sums[3 * i + 2] = (double)both;
        equal[i] = p == both && t == both;
    }
}

/* min over a of up(p, a) + up(t, a), infinite without such an a; distances are below FAR / 2. The lists of up to LANES
 * true classes are laid beside each other, one row a node and one lane a class; row 0 is that of all other nodes, so
 * that nothing branches. `row` is 0 everywhere, `lanes` has room for LANES lists and one row more. */
enum { FAR = 127, LANES = 16 };

static void lay(const int32_t *targets, int64_t many, const int64_t *restrict ptr, const int32_t *restrict nodes,
                   const uint8_t *restrict up, int32_t *restrict row, uint8_t *restrict lanes) {
    int32_t rows = 1;
    for (int64_t t = 0; t < many; t++)
        for (int64_t k = ptr[targets[t]]; k < ptr[targets[t] + 1]; k++) {
            int32_t at = row[nodes[k]];
            if (at == 0) {
                row[nodes[k]] = at = rows++;
                for (int lane = 0; lane < LANES; lane++) lanes[at * LANES + lane] = FAR;
            }
            lanes[at * LANES + t] = up[k];
        }
}

void pair_distances(int64_t size, const Sides *s, const int64_t *restrict ptr, const int32_t *restrict nodes,
                    const uint8_t *restrict up, int32_t *restrict row, uint8_t *restrict lanes, double *kappa) {
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = FAR;
    for (int64_t i = 0; i < size; i++) {
        int64_t width = s->true_ptr[i + 1] - s->true_ptr[i], height = s->pred_ptr[i + 1] - s->pred_ptr[i];
        for (int64_t first = 0; first < width; first += LANES) {
            int64_t many = width - first < LANES ? width - first : LANES;
            const int32_t *targets = s->truth + s->true_ptr[i] + first;
            lay(targets, many, ptr, nodes, up, row, lanes);
            for (int64_t p = 0; p < height; p++) {
                int32_t c = s->pred[s->pred_ptr[i] + p];
                int64_t end = ptr[c + 1];
                uint8_t least[LANES];
                for (int lane = 0; lane < LANES; lane++) least[lane] = FAR;
                for (int64_t k = ptr[c]; k < end; k++) {
                    const uint8_t *above = lanes + (int64_t)row[nodes[k]] * LANES;
                    for (int lane = 0; lane < LANES; lane++) {
                        uint8_t length = (uint8_t)(up[k] + above[lane]);
                        least[lane] = length < least[lane] ? length : least[lane];
                    }
                }
                for (int64_t t = 0; t < many; t++)
                    kappa[p * width + first + t] = least[t] < FAR ? least[t] : 1.0 / 0.0;
            }
            for (int64_t t = 0; t < many; t++)
                for (int64_t k = ptr[targets[t]]; k < ptr[targets[t] + 1]; k++) row[nodes[k]] = 0;
        }
        kappa += width * height;
    }
}

/* The matching of least cost where who is alone costs `alone`: what each instance costs, and with whom each predicted
 * class is. A pair saves 2 alone - kappa. Rows are the smaller side; who has not found a
 * column by bidding is matched by shortest augmenting paths, with prices u + v >= saved. All costs are whole, so that floats are exact. */
enum { MOST = 256, NOBODY = -1 };

static float saved[MOST * MOST], u[MOST], v[MOST], least[MOST], reached[MOST];
static int32_t column_of[MOST], row_of[MOST], from[MOST], open[MOST], seen[MOST];

static void augment(int32_t start, int32_t width) {
    int32_t row = start, met = 0, opened = width, last = start, column;
    float far = 0, end = 1.0f / 0.0f;
    for (column = 0; column < width; column++) {
        open[column] = column;
        least[column] = 1.0f / 0.0f;
    }
    for (;;) {
        seen[met++] = row;
        reached[row] = far;
        if (far + u[row] < end) {
            end = far + u[row];
            last = row;
        }
        float nearest = 1.0f / 0.0f;
        int32_t at = 0;
        for (int32_t k = 0; k < opened; k++) {
            column = open[k];
            float length = far + (u[row] + v[column] - saved[row * width + column]);
            if (length < least[column]) {
                least[column] = length;
                from[column] = row;
            }
            if (least[column] < nearest || (least[column] == nearest && row_of[column] == NOBODY)) {
                nearest = least[column];
                at = k;
            }
        }
        if (nearest >= end) {
            far = end;
            column = column_of[last];
            column_of[last] = NOBODY;
            break;
        }
        column = open[at];
        far = nearest;
        if (row_of[column] == NOBODY) break;
        open[at] = open[--opened];
        open[opened] = column;
        row = row_of[column];
    }
    for (int32_t k = 0; k < met; k++) u[seen[k]] -= far - reached[seen[k]];
    for (int32_t k = opened; k < width; k++) v[open[k]] += far - least[open[k]];
    while (column != NOBODY) {
        int32_t next = column_of[from[column]];
        row_of[column] = from[column];
        column_of[from[column]] = column;
        column = next;
    }
}

/* Rows take their best column at a price at which their second best is as good, and who loses one so is next; how many
 * wait in the end. */
static int32_t take_best(int32_t *waiting, int32_t height, int32_t width) {
    int32_t left = 0, k = 0, turns = 0;
    while (k < height && turns++ < 2 * height) {
        int32_t row = waiting[k++], best = NOBODY;
        float most = 0, second = 0;
        for (int32_t column = 0; column < width; column++) {
            float gain = saved[row * width + column] - v[column];
            float lesser = gain < most ? gain : most;
            second = lesser > second ? lesser : second;
            best = gain > most ? column : best;
            most = gain > most ? gain : most;
        }
        u[row] = second;
        if (best == NOBODY) continue;
        int32_t loser = row_of[best];
        if (most == second && loser != NOBODY) { /* nothing to bid: another column that is as good, if one is free */
            int32_t column = 0;
            while (column < width && (row_of[column] != NOBODY || saved[row * width + column] - v[column] != most))
                column++;
            if (column == width) {
                waiting[left++] = row;
                continue;
            }
            best = column;
            loser = NOBODY;
        }
        v[best] += most - second;
        row_of[best] = row;
        column_of[row] = best;
        if (loser != NOBODY) {
            column_of[loser] = NOBODY;
            waiting[--k] = loser;
        }
    }
    while (k < height) {
        int32_t row = waiting[k++];
        u[row] = 0;
        for (int32_t column = 0; column < width; column++) {
            float gain = saved[row * width + column] - v[column];
            u[row] = gain > u[row] ? gain : u[row];
        }
        waiting[left++] = row;
    }
    return left;
}

void best_pairings(int64_t size, const int64_t *pred_ptr, const int64_t *true_ptr, const double *kappa, double alone,
                   double *cost, int32_t *mate) {
    int32_t waiting[MOST];
    for (int64_t i = 0; i < size; i++) {
        int32_t preds = (int32_t)(pred_ptr[i + 1] - pred_ptr[i]), trues = (int32_t)(true_ptr[i + 1] - true_ptr[i]);
        int turned = preds > trues;
        int32_t height = turned ? trues : preds, width = turned ? preds : trues, left = 0;
        for (int32_t p = 0; p < preds; p++)
            for (int32_t t = 0; t < trues; t++) {
                double gain = 2 * alone - kappa[p * trues + t];
                saved[turned ? t * width + p : p * width + t] = gain > 0 ? (float)gain : 0;
            }
        for (int32_t column = 0; column < width; column++) {
            row_of[column] = NOBODY;
            v[column] = 0;
        }
        for (int32_t row = 0; row < height; row++) {
            waiting[row] = row;
            column_of[row] = NOBODY;
        }
        left = take_best(waiting, height, width);
        for (int32_t k = 0; k < left; k++) augment(waiting[k], width);
        double total = alone * (preds + trues);
        for (int32_t p = 0; p < preds; p++) {
            int32_t t = turned ? row_of[p] : column_of[p];
            mate[p] = t;
            if (t != NOBODY) total -= 2 * alone - kappa[p * trues + t];
        }
        cost[i] = total;
        kappa += (int64_t)preds * trues;
        mate += preds;
    }
}
