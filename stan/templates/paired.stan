// Both classifiers judged on the same documents: mu ~ Beta(beta), theta_pos ~
// Dir(alpha_pos), theta_neg ~ Dir(alpha_neg). Zhang et al. (2016), Figure 3.
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
  vector<lower=0>[4] alpha_pos; // prior weight of the outcome pairs
  vector<lower=0>[4] alpha_neg;
  #include blocks/measure.stan
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw documents, too
}
// What is sampled, with its bounds.
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
  array[K] simplex[4] theta_pos; // outcome pairs on positive documents
  array[K] simplex[4] theta_neg; // outcome pairs on negative documents
}
// The prior, and behind prior_only the likelihood.
model {
  mu ~ beta(beta[1], beta[2]);
  for (k in 1 : K) {
    theta_pos[k] ~ dirichlet(alpha_pos);
    theta_neg[k] ~ dirichlet(alpha_neg);
    if (!prior_only) {
      sum(c_pos[k]) ~ binomial(sum(c_pos[k]) + sum(c_neg[k]), mu[k]);
      c_pos[k] ~ multinomial(theta_pos[k]);
      c_neg[k] ~ multinomial(theta_neg[k]);
    }
  }
}
// What is judged; then what loo and calibrate take.
generated quantities {
  #include blocks/scores.stan
  real log_prior; // for power-scaling
  array[K] vector[8] log_lik; // of each outcome pair, positive documents first
  array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_neg_rep = rep_array(0, K, 4);
  log_prior = beta_lpdf(mu | beta[1], beta[2]);
  for (k in 1 : K) {
    cells_A[k] = cells_of_A(mu[k], theta_pos[k], theta_neg[k]);
    cells_B[k] = cells_of_B(mu[k], theta_pos[k], theta_neg[k]);
    #include blocks/score_category.stan
    log_prior += dirichlet_lpdf(theta_pos[k] | alpha_pos)
                 + dirichlet_lpdf(theta_neg[k] | alpha_neg);
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
