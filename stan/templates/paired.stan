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
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/measure.stan
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
  #include blocks/pairs_rep.stan
  log_prior = beta_lpdf(mu | beta[1], beta[2]);
  for (k in 1 : K) {
    #include blocks/score_pairs.stan
    log_prior += dirichlet_lpdf(theta_pos[k] | alpha_pos)
                 + dirichlet_lpdf(theta_neg[k] | alpha_neg);
    #include blocks/replicate_pairs.stan
  }
  delta = psi_A - psi_B;
}
