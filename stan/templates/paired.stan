// Both classifiers judged on the same documents: mu ~ Beta(beta), theta_pos ~
// Dir(alpha_pos), theta_neg ~ Dir(alpha_neg). Zhang et al. (2016), Figure 3.
#include blocks/functions_rep.stan
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/measure_rep.stan
}
#include blocks/paired.stan
// What is judged; then what loo and calibrate take.
generated quantities {
  #include blocks/score_pairs.stan
  real log_prior; // for power-scaling
  #include blocks/pairs_rep.stan
  log_prior = beta_lpdf(mu | beta[1], beta[2]);
  for (k in 1 : K) {
    log_prior += dirichlet_lpdf(theta_pos[k] | alpha_pos)
                 + dirichlet_lpdf(theta_neg[k] | alpha_neg);
    #include blocks/replicate_pairs.stan
  }
}
