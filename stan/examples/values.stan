// Values of two systems on the same items: y[i] ~ normal(mu, Sigma), as in
// items.stan. The prior is proper, in the unit of the values, so that there are
// Bayes factors and the program can be calibrated.
data {
  int<lower=2> N; // items
  array[N] vector[2] y; // the values of A and B
  real centre; // mean of all values, where the prior lies
  real<lower=0> spread; // their standard deviation, the unit of the prior
  int<lower=1, upper=1> measure; // 1: the mean
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw values, too
}
parameters {
  real level; // mean of both systems
  real delta; // how much higher A is
  vector<lower=0>[2] sigma; // standard deviation over items
  cholesky_factor_corr[2] L_Omega; // correlation of A and B over items
}
transformed parameters {
  real psi_A = level + delta / 2; // the mean over new items
  real psi_B = level - delta / 2;
}
model {
  level ~ normal(centre, spread);
  delta ~ normal(0, spread);
  sigma ~ normal(0, 2 * spread);
  L_Omega ~ lkj_corr_cholesky(1);
  if (!prior_only) {
    y ~ multi_normal_cholesky([psi_A, psi_B]',
                              diag_pre_multiply(sigma, L_Omega));
  }
}
generated quantities {
  real log_prior = normal_lpdf(level | centre, spread)
                   + normal_lpdf(delta | 0, spread)
                   + normal_lpdf(sigma | 0, 2 * spread)
                   + lkj_corr_cholesky_lpdf(L_Omega | 1); // for power-scaling
  vector[N] log_lik; // of each item
  array[N] vector[2] y_rep = rep_array(rep_vector(0, 2), N); // as drawn
  {
    vector[2] mu = [psi_A, psi_B]';
    matrix[2, 2] L = diag_pre_multiply(sigma, L_Omega);
    for (i in 1 : N) {
      log_lik[i] = multi_normal_cholesky_lpdf(y[i] | mu, L);
      if (simulate) {
        y_rep[i] = multi_normal_cholesky_rng(mu, L);
      }
    }
  }
}
