// Items that are asked several times, right or wrong, as in repeated.stan
// without clusters: right ~ binomial(runs, p), logit p is normal over items.
// psi averages p over new items.
data {
  int<lower=1> N; // items
  array[N, 2] int<lower=0> runs; // of A, of B
  array[N, 2] int<lower=0> right; // how many of them were right
  int<lower=1, upper=1> measure; // 1: the mean
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw answers, too
}
transformed data {
  #include blocks/nodes.stan
}
parameters {
  vector[2] mu; // mean log-odds of A, of B
  vector<lower=0>[2] tau; // standard deviation over items
  cholesky_factor_corr[2] L_Omega; // correlation of A and B over items
  matrix[2, N] z; // items, standardised
}
model {
  mu ~ normal(0, 1.5);
  tau ~ normal(0, 1.5);
  L_Omega ~ lkj_corr_cholesky(1);
  to_vector(z) ~ std_normal();
  if (!prior_only) {
    matrix[2, N] log_odds = rep_matrix(mu, N)
                            + diag_pre_multiply(tau, L_Omega) * z;
    for (j in 1 : 2) {
      right[ : , j] ~ binomial_logit(runs[ : , j], to_vector(log_odds[j]));
    }
  }
}
generated quantities {
  real psi_A = dot_product(weight, inv_logit(mu[1] + tau[1] * node));
  real psi_B = dot_product(weight, inv_logit(mu[2] + tau[2] * node));
  real delta = psi_A - psi_B;
  real log_prior = normal_lpdf(mu | 0, 1.5) + normal_lpdf(tau | 0, 1.5)
                   + lkj_corr_cholesky_lpdf(L_Omega | 1)
                   + std_normal_lpdf(to_vector(z)); // for power-scaling
  vector[N] log_lik; // of each item, both systems
  array[N, 2] int right_rep = rep_array(0, N, 2); // answers as drawn
  {
    matrix[2, N] log_odds = rep_matrix(mu, N)
                            + diag_pre_multiply(tau, L_Omega) * z;
    for (i in 1 : N) {
      log_lik[i] = binomial_logit_lpmf(right[i] | runs[i], log_odds[ : , i]);
      if (simulate) {
        right_rep[i] = binomial_rng(runs[i], inv_logit(log_odds[ : , i]));
      }
    }
  }
}
