// generated quantities: cells and measure of every category, of its rates
#include blocks/scores.stan
for (k in 1 : K) {
  cells_A[k] = cells_of(mu[1, k], rho_pos[1, k], rho_neg[1, k]);
  cells_B[k] = cells_of(mu[2, k], rho_pos[2, k], rho_neg[2, k]);
  #include blocks/score_category.stan
}
