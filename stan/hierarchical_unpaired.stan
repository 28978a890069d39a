// The unpaired model with categories that learn from each other, each
// classifier by itself: rho_pos[k] ~ Beta(kappa_pos eta_pos, kappa_pos (1 -
// eta_pos)), and so for negatives. The back-off of Zhang et al. (2016), section
// 5. rho and mu are integrated out and drawn back exactly.
#include blocks/functions.stan
data {
  #include blocks/cells.stan
  #include blocks/kappa.stan
  #include blocks/measure.stan
}
#include blocks/hierarchical_unpaired.stan
generated quantities {
  #include blocks/draw_rates.stan
  #include blocks/score_rates.stan
}
