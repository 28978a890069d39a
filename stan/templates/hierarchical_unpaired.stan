// The unpaired model with categories that learn from each other, each
// classifier by itself: rho_pos[k] ~ Beta(kappa_pos eta_pos, kappa_pos (1 -
// eta_pos)), and so for negatives. The back-off of Zhang et al. (2016), section
// 5. rho and mu are integrated out and drawn back exactly.
// Measures and cells, as everywhere in stanoff.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions
}
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/cells.stan
  real kappa_location; // of the log-normal prior on kappa_pos
  real<lower=0> kappa_scale;
  real kappa_neg_location; // of that on kappa_neg
  real<lower=0> kappa_neg_scale;
  #include blocks/measure.stan
  int<lower=0, upper=1> simulate; // 1: draw documents, too
}
// What follows from the data alone.
transformed data {
  array[2, K, 4] int c = {c_A, c_B};
}
// What is sampled, with its bounds.
parameters {
  vector<lower=0, upper=1>[2] eta_pos; // P(says yes | positive), overall
  vector<lower=0, upper=1>[2] eta_neg; // P(says yes | negative), overall
  vector<lower=0>[2] kappa_pos; // documents' worth of what eta_pos tells
  vector<lower=0>[2] kappa_neg;
}
// The prior, and behind prior_only the likelihood.
model {
  kappa_pos ~ lognormal(kappa_location, kappa_scale);
  kappa_neg ~ lognormal(kappa_neg_location, kappa_neg_scale);
  for (j in 1 : 2) {
    eta_pos[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
    eta_neg[j] ~ beta(alpha_neg[j, 1], alpha_neg[j, 2]);
    if (!prior_only) {
      vector[2] yes_no_pos = kappa_pos[j] * [eta_pos[j], 1 - eta_pos[j]]';
      vector[2] yes_no_neg = kappa_neg[j] * [eta_neg[j], 1 - eta_neg[j]]';
      for (k in 1 : K) {
        {c[j, k, 1], c[j, k, 3]} ~ dirichlet_counts(yes_no_pos);
        {c[j, k, 2], c[j, k, 4]} ~ dirichlet_counts(yes_no_neg);
      }
    }
  }
}
// What is judged; then what loo and calibrate take.
generated quantities {
  array[2] vector[K] mu; // prevalence
  array[2] vector[K] rho_pos; // P(says yes | positive)
  array[2] vector[K] rho_neg; // P(says yes | negative)
  #include blocks/scores.stan
  real log_prior; // for power-scaling
  #include blocks/cells_rep.stan
  log_prior = lognormal_lpdf(kappa_pos | kappa_location, kappa_scale)
              + lognormal_lpdf(kappa_neg | kappa_neg_location, kappa_neg_scale);
  for (j in 1 : 2) {
    log_prior += beta_lpdf(eta_pos[j] | alpha_pos[j, 1], alpha_pos[j, 2])
                 + beta_lpdf(eta_neg[j] | alpha_neg[j, 1], alpha_neg[j, 2]);
  }
  for (j in 1 : 2) {
    for (k in 1 : K) {
      vector[4] seen = prior_only ? rep_vector(0, 4) : to_vector(c[j, k]);
      mu[j, k] = beta_rng(beta[j, 1] + seen[1] + seen[3],
                          beta[j, 2] + seen[2] + seen[4]);
      rho_pos[j, k] = beta_rng(kappa_pos[j] * eta_pos[j] + seen[1],
                               kappa_pos[j] * (1 - eta_pos[j]) + seen[3]);
      rho_neg[j, k] = beta_rng(kappa_neg[j] * eta_neg[j] + seen[2],
                               kappa_neg[j] * (1 - eta_neg[j]) + seen[4]);
    }
  }
  for (k in 1 : K) {
    cells_A[k] = cells_of(mu[1, k], rho_pos[1, k], rho_neg[1, k]);
    cells_B[k] = cells_of(mu[2, k], rho_pos[2, k], rho_neg[2, k]);
    #include blocks/score_category.stan
    #include blocks/replicate_cells.stan
  }
  delta = psi_A - psi_B;
}
