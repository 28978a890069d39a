// Values per item of up to six systems: y[i] ~ normal(mu, Sigma), with the prior
// |Sigma|^-S, so that the difference of any two means is a t with N - 1 degrees.
// With prior_weight > 0 (two systems) the difference d has the conjugate prior
// sigma_d^2 ~ inv_gamma, delta ~ normal(0, sigma_d / sqrt(prior_weight)).
data {
  int<lower=2, upper=6> S; // systems
  int<lower=2> N; // items
  array[N] vector[S] y; // the values
  real<lower=0> prior_weight; // how many items the prior is worth; 0: flat
  real<lower=0> prior_sd; // standard deviation of the differences, a priori
  real<lower=0> prior_degrees; // how many items' worth that is known
}
transformed data {
  vector[S] centre; // means and standard deviations, to walk in small steps
  vector[S] spread;
  for (s in 1 : S) {
    centre[s] = mean(y[ : , s]);
    spread[s] = sd(y[ : , s]);
  }
}
parameters {
  vector[S] z; // means, in standard errors from those observed
  vector<lower=0>[S] tau; // standard deviations, in those observed
  cholesky_factor_corr[S] L_Omega; // correlation of the systems over items
}
transformed parameters {
  vector[S] mu = centre + spread .* z / sqrt(N);
  vector[S] sigma = spread .* tau;
}
model {
  L_Omega ~ lkj_corr_cholesky(1);
  // |Sigma|^-S, in terms of standard deviations and correlations
  target += -S * sum(log(tau)) - 2 * S * sum(log(diagonal(L_Omega)));
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L_Omega));
  if (prior_weight > 0) {
    real variance = square(sigma[1]) + square(sigma[2])
                    - 2 * L_Omega[2, 1] * sigma[1] * sigma[2];
    variance ~ inv_gamma(prior_degrees / 2,
                         prior_degrees * square(prior_sd) / 2);
    target += log(variance); // in the place of the flat prior of the variance
    mu[1] - mu[2] ~ normal(0, sqrt(variance / prior_weight));
  }
}
generated quantities {
  array[S] vector[1] psi; // the mean over new items
  for (s in 1 : S) {
    psi[s, 1] = mu[s];
  }
}
