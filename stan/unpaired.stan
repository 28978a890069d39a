// Each classifier judged by itself, on its own documents: mu ~ Beta(beta),
// rho_pos ~ Beta(alpha_pos), rho_neg ~ Beta(alpha_neg). Zhang et al. (2016),
// Figure 2.
#include blocks/functions.stan
data {
  #include blocks/cells.stan
  #include blocks/measure.stan
}
#include blocks/unpaired.stan
generated quantities {
  #include blocks/score_rates.stan
}
