// Values per item of up to six systems: y[i] ~ normal(mu, Sigma), with the prior
// |Sigma|^-S, so that the difference of any two means is a t with N - 1 degrees.
// With prior_weight > 0 (two systems) the difference d has the conjugate prior
// sigma_d^2 ~ inv_gamma, delta ~ normal(0, sigma_d / sqrt(prior_weight)).
data {
  int<lower=2, upper=6> S; // systems
  int<lower=2> N; // items
  array[N] vector[S] y; // the values
  #include blocks/difference_data.stan
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
  #include blocks/difference_prior.stan
}
generated quantities {
  // the mean over new items
  #include blocks/psi.stan
}
