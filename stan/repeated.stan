// Few items, each asked several times, right or wrong: y ~ binomial(runs, p),
// logit p normal over items, both systems together; items of one cluster share
// an effect. psi averages p over new items: it is not inv_logit(mu).
data {
  int<lower=1> N; // items
  int<lower=0> C; // clusters; 0: items are independent
  array[C > 0 ? N : 0] int<lower=1, upper=C> cluster; // that of each item
  array[N, 2] int<lower=0> runs; // of A, of B
  array[N, 2] int<lower=0> right; // how many of them were right
  real<lower=0> mu_scale; // prior scale of the mean log-odds
  real<lower=0> tau_scale; // of their standard deviations over items, clusters
  real<lower=0> lkj_shape; // of their correlations; 1: any is as probable
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
}
transformed data {
  #include blocks/nodes.stan
  for (i in 1 : N) {
    for (j in 1 : 2) {
      if (right[i, j] > runs[i, j]) {
        reject("right must not be more than runs");
      }
    }
  }
}
parameters {
  vector[2] mu; // mean log-odds of A, of B
  vector<lower=0>[2] tau; // standard deviation over items
  cholesky_factor_corr[2] L_Omega; // correlation of A and B over items
  matrix[2, N] z;
  vector<lower=0>[C > 0 ? 2 : 0] omega; // standard deviation over clusters
  cholesky_factor_corr[2] L_cluster; // correlation of A and B over clusters
  matrix[2, C] z_cluster;
}
model {
  mu ~ normal(0, mu_scale);
  tau ~ normal(0, tau_scale);
  omega ~ normal(0, tau_scale);
  L_Omega ~ lkj_corr_cholesky(lkj_shape);
  L_cluster ~ lkj_corr_cholesky(lkj_shape);
  to_vector(z) ~ std_normal();
  to_vector(z_cluster) ~ std_normal();
  if (!prior_only) {
    matrix[2, N] log_odds = rep_matrix(mu, N)
                         + diag_pre_multiply(tau, L_Omega) * z;
    if (C > 0) {
      matrix[2, C] shared = diag_pre_multiply(omega, L_cluster) * z_cluster;
      log_odds += shared[ : , cluster];
    }
    for (j in 1 : 2) {
      right[ : , j] ~ binomial_logit(runs[ : , j], to_vector(log_odds[j]));
    }
  }
}
generated quantities {
  real psi_A; // share of right answers on new items
  real psi_B;
  real delta;
  {
    vector[2] psi;
    for (j in 1 : 2) {
      real width = sqrt(square(tau[j]) + (C > 0 ? square(omega[j]) : 0));
      psi[j] = dot_product(weight, inv_logit(mu[j] + width * node));
    }
    psi_A = psi[1];
    psi_B = psi[2];
  }
  delta = psi_A - psi_B;
}
