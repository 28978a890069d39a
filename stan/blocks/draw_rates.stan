// generated quantities: what was integrated out, drawn back
array[2] vector[K] mu; // prevalence
array[2] vector[K] rho_pos; // P(says yes | positive)
array[2] vector[K] rho_neg; // P(says yes | negative)
for (j in 1 : 2) {
  for (k in 1 : K) {
    vector[4] seen = prior_only ? rep_vector(0, 4) : to_vector(c[j, k]);
    mu[j, k] = beta_rng(beta[j, 1] + seen[1] + seen[3],
                        beta[j, 2] + seen[2] + seen[4]);
    rho_pos[j, k] = beta_rng(kappa_pos[j] * eta_pos[j] + seen[1],
                             kappa_pos[j] * (1 - eta_pos[j]) + seen[3]);
    rho_neg[j, k] = beta_rng(kappa_neg[j] * eta_neg[j] + seen[2],
                             kappa_neg[j] * (1 - eta_neg[j]) + seen[4]);
  }
}
