// Each classifier judged by itself, on its own documents: mu ~ Beta(beta),
// rho_pos ~ Beta(alpha_pos), rho_neg ~ Beta(alpha_neg). Zhang et al. (2016),
// Figure 2.
#include blocks/functions_rep.stan
// What stanoff gives; leave out what you do not need.
data {
  #include blocks/cells.stan
  #include blocks/measure_rep.stan
}
#include blocks/unpaired.stan
// What is judged; then what loo and calibrate take.
generated quantities {
  #include blocks/score_rates.stan
  real log_prior = 0; // for power-scaling
  #include blocks/cells_rep.stan
  for (j in 1 : 2) {
    log_prior += beta_lpdf(mu[j] | beta[j, 1], beta[j, 2])
                 + beta_lpdf(rho_pos[j] | alpha_pos[j, 1], alpha_pos[j, 2])
                 + beta_lpdf(rho_neg[j] | alpha_neg[j, 1], alpha_neg[j, 2]);
  }
  for (k in 1 : K) {
    #include blocks/replicate_cells.stan
  }
}
