// The paired model with categories that learn from each other: theta_pos[k] ~
// Dir(kappa_pos eta_pos), theta_neg[k] ~ Dir(kappa_neg eta_neg). Zhang et al.
// (2016), section 5. theta and mu are integrated out and drawn back exactly, so
// the sampler walks eight dimensions however many categories there are.
// Measures and cells, as everywhere in stanoff.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions
}
// What stanoff gives; leave out what you do not need.
data {
  int<lower=1> K; // categories
  // documents per outcome pair: both, only A, only B, neither said positive
  array[K, 4] int<lower=0> c_pos; // of the positive documents
  array[K, 4] int<lower=0> c_neg; // of the negative documents
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  vector<lower=0>[4] alpha_pos; // prior weight of the outcome pairs overall
  vector<lower=0>[4] alpha_neg;
  real kappa_location; // of the log-normal prior on both kappas
  real<lower=0> kappa_scale;
  #include blocks/measure.stan
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw documents, too
}
// What is sampled, with its bounds.
parameters {
  simplex[4] eta_pos; // outcome pairs on positive documents, overall
  simplex[4] eta_neg; // outcome pairs on negative documents, overall
  real<lower=0> kappa_pos; // documents' worth of what eta_pos tells
  real<lower=0> kappa_neg;
}
// The prior, and behind prior_only the likelihood.
model {
  eta_pos ~ dirichlet(alpha_pos);
  eta_neg ~ dirichlet(alpha_neg);
  kappa_pos ~ lognormal(kappa_location, kappa_scale);
  kappa_neg ~ lognormal(kappa_location, kappa_scale);
  if (!prior_only) {
    for (k in 1 : K) {
      c_pos[k] ~ dirichlet_counts(kappa_pos * eta_pos);
      c_neg[k] ~ dirichlet_counts(kappa_neg * eta_neg);
    }
  }
}
// What is judged; then what loo and calibrate take.
generated quantities {
  vector[K] mu; // prevalence
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  #include blocks/scores.stan
  real log_prior; // for power-scaling
  array[K] vector[8] log_lik; // of each outcome pair, positive documents first
  array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_neg_rep = rep_array(0, K, 4);
  log_prior = dirichlet_lpdf(eta_pos | alpha_pos)
              + dirichlet_lpdf(eta_neg | alpha_neg)
              + lognormal_lpdf(kappa_pos | kappa_location, kappa_scale)
              + lognormal_lpdf(kappa_neg | kappa_location, kappa_scale);
  for (k in 1 : K) {
    vector[4] seen_pos = prior_only ? rep_vector(0, 4) : to_vector(c_pos[k]);
    vector[4] seen_neg = prior_only ? rep_vector(0, 4) : to_vector(c_neg[k]);
    mu[k] = beta_rng(beta[1] + sum(seen_pos), beta[2] + sum(seen_neg));
    theta_pos[k] = dirichlet_rng(kappa_pos * eta_pos + seen_pos);
    theta_neg[k] = dirichlet_rng(kappa_neg * eta_neg + seen_neg);
    cells_A[k] = cells_of_A(mu[k], theta_pos[k], theta_neg[k]);
    cells_B[k] = cells_of_B(mu[k], theta_pos[k], theta_neg[k]);
    #include blocks/score_category.stan
    log_lik[k] = log_lik_of_pairs(c_pos[k], c_neg[k], mu[k], theta_pos[k],
                                  theta_neg[k]);
    if (simulate) {
      array[2, 4] int drawn = pairs_rng(sum(c_pos[k]) + sum(c_neg[k]), mu[k],
                                        theta_pos[k], theta_neg[k]);
      c_pos_rep[k] = drawn[1];
      c_neg_rep[k] = drawn[2];
    }
  }
  delta = psi_A - psi_B;
}
