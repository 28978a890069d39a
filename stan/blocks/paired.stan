// parameters and model: the paired model
// What is sampled, with its bounds.
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
  array[K] simplex[4] theta_pos; // outcome pairs on positive documents
  array[K] simplex[4] theta_neg; // outcome pairs on negative documents
}
// The prior, and behind prior_only the likelihood.
model {
  mu ~ beta(beta[1], beta[2]);
  for (k in 1 : K) {
    theta_pos[k] ~ dirichlet(alpha_pos);
    theta_neg[k] ~ dirichlet(alpha_neg);
    if (!prior_only) {
      sum(c_pos[k]) ~ binomial(sum(c_pos[k]) + sum(c_neg[k]), mu[k]);
      c_pos[k] ~ multinomial(theta_pos[k]);
      c_neg[k] ~ multinomial(theta_neg[k]);
    }
  }
}
