// generated quantities: cells and measure of every category, of its outcome pairs
#include blocks/scores.stan
for (k in 1 : K) {
  cells_A[k] = cells_of_A(mu[k], theta_pos[k], theta_neg[k]);
  cells_B[k] = cells_of_B(mu[k], theta_pos[k], theta_neg[k]);
  #include blocks/score_category.stan
}
