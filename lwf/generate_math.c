/* Functions of real numbers for the workload generator, with identical results on all machines. */
#include "lwf/generate_math.h"

#include <float.h>
#include <math.h>

static const double LN2 = 0.693147180559945309417;
/* ln 2 in two parts: the first ends with enough zero bits for an exact product with k. */
static const double LN2_HIGH = 6.93147180369123816490e-01;
static const double LN2_LOW = 1.90821492927058770002e-10;

double generate_exp(double x)
{
    double k, rest, sum = 1;

    if (x > 709.7)
        return INFINITY;
    if (x < -745)
        return 0;
    k = floor(x / LN2 + 0.5);
    rest = x - k * LN2_HIGH;
    rest -= k * LN2_LOW;
    for (int n = 15; n >= 1; n--) /* |rest| <= 0.35: the next term is below 1e-20 */
        sum = 1 + sum * rest / n;
    return ldexp(sum, (int)k);
}

double generate_log(double x)
{
    int exponent;
    double part = frexp(x, &exponent); /* 0.5 <= part < 1 */
    double s, square, sum = 0;

    if (part < 0.70710678118654752) {
        part *= 2;
        exponent--;
    }
    s = (part - 1) / (part + 1);
    square = s * s; /* at most 0.0295 */
    for (int n = 25; n >= 3; n -= 2)
        sum = (sum + 1.0 / n) * square;
    return exponent * LN2_HIGH + (2 * s + (2 * s * sum + exponent * LN2_LOW));
}

double generate_power_of_two(double x)
{
    double whole = floor(x);

    if (x == whole)
        return ldexp(1, (int)whole);
    return generate_exp(x * LN2);
}

double generate_log_gamma(double x)
{
    static const double stirling[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                      1.0 / 1188, -691.0 / 360360, 1.0 / 156};
    static const double HALF_LOG_2_PI = 0.918938533204672741780;
    double product = 1, sum = 0, inverse, square;

    while (x < 15) {
        product *= x;
        x++;
    }
    inverse = 1 / x;
    square = inverse * inverse;
    for (int i = 6; i >= 0; i--)
        sum = sum * square + stirling[i];
    return (x - 0.5) * generate_log(x) - x + HALF_LOG_2_PI + sum * inverse - generate_log(product);
}

/* x^shape e^-x / Gamma(shape + 1) times 1 + x/(shape+1) + x^2/((shape+1)(shape+2)) + ... */
static double by_series(double shape, double x, double front)
{
    double term = 1 / shape, sum = term;

    for (double a = shape + 1; term > sum * DBL_EPSILON / 4; a++) {
        term *= x / a;
        sum += term;
    }
    return sum * front;
}

/* The upper share as a continued fraction, by Lentz's method. */
static double by_fraction(double shape, double x, double front)
{
    const double tiny = 1e-300;
    double b = x + 1 - shape, c = 1 / tiny, d = 1 / b, h = d;

    for (int i = 1; i < 100000; i++) {
        double a = -i * (i - shape), step;

        b += 2;
        d = a * d + b;
        d = fabs(d) < tiny ? 1 / tiny : 1 / d;
        c = b + a / c;
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        h *= step;
        if (fabs(step - 1) < DBL_EPSILON)
            break;
    }
    return h * front;
}

double generate_gamma_share(double shape, double x)
{
    double front;

    if (!(x > 0))
        return 0;
    front = generate_exp(shape * generate_log(x) - x - generate_log_gamma(shape));
    return x < shape + 1 ? by_series(shape, x, front) : 1 - by_fraction(shape, x, front);
}
