/* generate_math.h: functions of real numbers with identical results on all machines, for the
 * workload generator.
 *
 * Mathematical libraries differ in the last bit between versions and processors; one different bit
 * can shift every later job of a trace. These functions use only + - * /, sqrt() and the exact
 * floating-point functions, in a fixed order. Relative errors are a few units in the last place.
 */
#pragma once

/* e^x; 0 below about -745, infinity above about 709. */
double generate_exp(double x);

/* The natural logarithm; x > 0, a normal number. */
double generate_log(double x);

/* 2^x. */
double generate_power_of_two(double x);

/* ln of the gamma function; x > 0. */
double generate_log_gamma(double x);

/* P(X <= x) for a gamma distribution with this shape and scale 1: the regularised lower incomplete
 * gamma function. shape > 0; 0 for x <= 0. Absolute error below 1e-12 for shapes up to 1000. */
double generate_gamma_share(double shape, double x);
