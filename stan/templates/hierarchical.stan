// The paired model with categories that learn from each other: theta_pos[k] ~
// Dir(kappa_pos eta_pos), theta_neg[k] ~ Dir(kappa_neg eta_neg). Zhang et al.
// (2016), section 5. theta and mu are integrated out and drawn back exactly, so
// the sampler walks eight dimensions however many categories there are.
#include blocks/functions_rep.stan
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/kappa.stan
  #include blocks/measure_rep.stan
}
#include blocks/hierarchical.stan
// What is judged; then what loo and calibrate take.
generated quantities {
  vector[K] mu; // prevalence
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  real log_prior; // for power-scaling
  #include blocks/pairs_rep.stan
  log_prior = dirichlet_lpdf(eta_pos | alpha_pos)
              + dirichlet_lpdf(eta_neg | alpha_neg)
              + lognormal_lpdf(kappa_pos | kappa_location, kappa_scale)
              + lognormal_lpdf(kappa_neg | kappa_neg_location, kappa_neg_scale);
  for (k in 1 : K) {
    #include blocks/draw_theta.stan
    #include blocks/replicate_pairs.stan
  }
  #include blocks/score_pairs.stan
}
