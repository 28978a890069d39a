// The paired model with categories that learn from each other: theta_pos[k] ~
// Dir(kappa_pos eta_pos), theta_neg[k] ~ Dir(kappa_neg eta_neg). Zhang et al.
// (2016), section 5. theta and mu are integrated out and drawn back exactly, so
// the sampler walks eight dimensions however many categories there are.
#include blocks/functions.stan
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/kappa.stan
  #include blocks/measure.stan
}
#include blocks/hierarchical.stan
generated quantities {
  vector[K] mu; // prevalence
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  for (k in 1 : K) {
    #include blocks/draw_theta.stan
  }
  #include blocks/score_pairs.stan
}
