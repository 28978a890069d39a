// Each classifier judged by itself, on its own documents: mu ~ Beta(beta),
// rho_pos ~ Beta(alpha_pos), rho_neg ~ Beta(alpha_neg). Zhang et al. (2016),
// Figure 2.
// Measures and cells, as everywhere in stanoff.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions
}
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/cells.stan
  #include blocks/measure.stan
  int<lower=0, upper=1> simulate; // 1: draw documents, too
}
// What follows from the data alone.
transformed data {
  array[2, K, 4] int c = {c_A, c_B};
}
// What is sampled, with its bounds.
parameters {
  array[2] vector<lower=0, upper=1>[K] mu; // prevalence
  array[2] vector<lower=0, upper=1>[K] rho_pos; // P(says yes | positive)
  array[2] vector<lower=0, upper=1>[K] rho_neg; // P(says yes | negative)
}
// The prior, and behind prior_only the likelihood.
model {
  for (j in 1 : 2) {
    mu[j] ~ beta(beta[j, 1], beta[j, 2]);
    rho_pos[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
    rho_neg[j] ~ beta(alpha_neg[j, 1], alpha_neg[j, 2]);
    if (!prior_only) {
      for (k in 1 : K) {
        int n_pos = c[j, k, 1] + c[j, k, 3];
        int n_neg = c[j, k, 2] + c[j, k, 4];
        n_pos ~ binomial(n_pos + n_neg, mu[j, k]);
        c[j, k, 1] ~ binomial(n_pos, rho_pos[j, k]);
        c[j, k, 2] ~ binomial(n_neg, rho_neg[j, k]);
      }
    }
  }
}
// What is judged; then what loo and calibrate take.
generated quantities {
  #include blocks/scores.stan
  real log_prior; // for power-scaling
  #include blocks/cells_rep.stan
  log_prior = 0;
  for (j in 1 : 2) {
    log_prior += beta_lpdf(mu[j] | beta[j, 1], beta[j, 2])
                 + beta_lpdf(rho_pos[j] | alpha_pos[j, 1], alpha_pos[j, 2])
                 + beta_lpdf(rho_neg[j] | alpha_neg[j, 1], alpha_neg[j, 2]);
  }
  for (k in 1 : K) {
    cells_A[k] = cells_of(mu[1, k], rho_pos[1, k], rho_neg[1, k]);
    cells_B[k] = cells_of(mu[2, k], rho_pos[2, k], rho_neg[2, k]);
    #include blocks/score_category.stan
    #include blocks/replicate_cells.stan
  }
  delta = psi_A - psi_B;
}
