// model: the conjugate prior of the difference of two systems
if (prior_weight > 0) {
  real variance = square(sigma[1]) + square(sigma[2])
                  - 2 * L_Omega[2, 1] * sigma[1] * sigma[2];
  variance ~ inv_gamma(prior_degrees / 2,
                       prior_degrees * square(prior_sd) / 2);
  target += log(variance); // in the place of the flat prior of the variance
  mu[1] - mu[2] ~ normal(0, sqrt(variance / prior_weight));
}
