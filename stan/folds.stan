// Scores of up to six systems on the test folds of a cross-validation. Any two
// folds have the correlation rho (Nadeau and Bengio, 2003), so that the mean
// of the folds and their contrasts are independent. The prior is |Sigma|^-S,
// and with prior_weight > 0 (two systems) that of the difference, as in
// items.stan: then sigma_d is the standard deviation of differences of folds.
data {
  int<lower=2, upper=6> S; // systems
  int<lower=2> N; // test folds, of all repeats
  array[N] vector[S] y; // the scores
  real<lower=0, upper=1> rho; // share of the documents in a test fold
  #include blocks/difference_data.stan
}
transformed data {
  vector[S] centre; // means and standard deviations, to walk in small steps
  vector[S] spread;
  array[N - 1] vector[S] contrast; // Helmert's: each fold with those before
  for (s in 1 : S) {
    centre[s] = mean(y[ : , s]);
    spread[s] = sd(y[ : , s]);
    for (n in 1 : (N - 1)) {
      contrast[n, s] = (sum(y[1 : n, s]) - n * y[n + 1, s])
                       / sqrt(n * (n + 1.0));
    }
  }
}
parameters {
  vector[S] z; // means, in standard errors from those observed
  vector<lower=0>[S] tau; // standard deviations, in those observed
  cholesky_factor_corr[S] L_Omega; // correlation of the systems over folds
}
transformed parameters {
  vector[S] mu = centre + sqrt(inv(N) + rho / (1 - rho)) * spread .* z;
  vector[S] sigma = spread .* tau;
}
model {
  matrix[S, S] root = diag_pre_multiply(sigma, L_Omega);
  L_Omega ~ lkj_corr_cholesky(1);
  // |Sigma|^-S, in terms of standard deviations and correlations
  target += -S * sum(log(tau)) - 2 * S * sum(log(diagonal(L_Omega)));
  contrast ~ multi_normal_cholesky(rep_vector(0, S), sqrt(1 - rho) * root);
  centre ~ multi_normal_cholesky(mu, sqrt((1 + (N - 1) * rho) / N) * root);
  #include blocks/difference_prior.stan
}
generated quantities {
  // the mean over new training sets
  #include blocks/psi.stan
}
