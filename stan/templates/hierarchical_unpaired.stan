// The unpaired model with categories that learn from each other, each
// classifier by itself: rho_pos[k] ~ Beta(kappa_pos eta_pos, kappa_pos (1 -
// eta_pos)), and so for negatives. The back-off of Zhang et al. (2016), section
// 5. rho and mu are integrated out and drawn back exactly.
#include blocks/functions_rep.stan
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/cells.stan
  #include blocks/kappa.stan
  #include blocks/measure_rep.stan
}
#include blocks/hierarchical_unpaired.stan
// What is judged; then what loo and calibrate take.
generated quantities {
  #include blocks/draw_rates.stan
  #include blocks/score_rates.stan
  real log_prior; // for power-scaling
  #include blocks/cells_rep.stan
  log_prior = lognormal_lpdf(kappa_pos | kappa_location, kappa_scale)
              + lognormal_lpdf(kappa_neg | kappa_neg_location, kappa_neg_scale);
  for (j in 1 : 2) {
    log_prior += beta_lpdf(eta_pos[j] | alpha_pos[j, 1], alpha_pos[j, 2])
                 + beta_lpdf(eta_neg[j] | alpha_neg[j, 1], alpha_neg[j, 2]);
  }
  for (k in 1 : K) {
    #include blocks/replicate_cells.stan
  }
}
