// generated quantities: prevalence, scores and new documents, given theta
vector[K] mu; // prevalence, which is conjugate by itself
#include blocks/pairs_rep.stan
for (k in 1 : K) {
  int n_pos = prior_only ? 0 : sum(c_pos[k]);
  int n_neg = prior_only ? 0 : sum(c_neg[k]);
  mu[k] = beta_rng(beta[1] + n_pos, beta[2] + n_neg);
  #include blocks/replicate_pairs.stan
}
#include blocks/score_pairs.stan
