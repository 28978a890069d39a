// generated quantities: log-likelihood and new documents of category k
log_lik[k] = log_lik_of_pairs(c_pos[k], c_neg[k], mu[k], theta_pos[k],
                              theta_neg[k]);
if (simulate) {
  array[2, 4] int drawn = pairs_rng(sum(c_pos[k]) + sum(c_neg[k]), mu[k],
                                    theta_pos[k], theta_neg[k]);
  c_pos_rep[k] = drawn[1];
  c_neg_rep[k] = drawn[2];
}
