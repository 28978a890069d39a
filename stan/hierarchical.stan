// The paired model with categories that learn from each other: theta_pos[k] ~
// Dir(kappa_pos eta_pos), theta_neg[k] ~ Dir(kappa_neg eta_neg). Zhang et al.
// (2016), section 5. theta and mu are integrated out and drawn back exactly, so
// the sampler walks eight dimensions however many categories there are.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
}
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  real kappa_location; // of the log-normal prior on kappa_pos
  real<lower=0> kappa_scale;
  real kappa_neg_location; // of that on kappa_neg
  real<lower=0> kappa_neg_scale;
  #include blocks/measure.stan
}
parameters {
  simplex[4] eta_pos; // outcome pairs on positive documents, overall
  simplex[4] eta_neg; // outcome pairs on negative documents, overall
  real<lower=0> kappa_pos; // documents' worth of what eta_pos tells
  real<lower=0> kappa_neg;
}
model {
  eta_pos ~ dirichlet(alpha_pos);
  eta_neg ~ dirichlet(alpha_neg);
  kappa_pos ~ lognormal(kappa_location, kappa_scale);
  kappa_neg ~ lognormal(kappa_neg_location, kappa_neg_scale);
  if (!prior_only) {
    for (k in 1 : K) {
      c_pos[k] ~ dirichlet_counts(kappa_pos * eta_pos);
      c_neg[k] ~ dirichlet_counts(kappa_neg * eta_neg);
    }
  }
}
generated quantities {
  vector[K] mu; // prevalence
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  #include blocks/scores.stan
  for (k in 1 : K) {
    vector[4] seen_pos = prior_only ? rep_vector(0, 4) : to_vector(c_pos[k]);
    vector[4] seen_neg = prior_only ? rep_vector(0, 4) : to_vector(c_neg[k]);
    mu[k] = beta_rng(beta[1] + sum(seen_pos), beta[2] + sum(seen_neg));
    theta_pos[k] = dirichlet_rng(kappa_pos * eta_pos + seen_pos);
    theta_neg[k] = dirichlet_rng(kappa_neg * eta_neg + seen_neg);
    #include blocks/score_pairs.stan
  }
  delta = psi_A - psi_B;
}
