// Both classifiers judged on the same documents: mu ~ Beta(beta), theta_pos ~
// Dir(alpha_pos), theta_neg ~ Dir(alpha_neg). Zhang et al. (2016), Figure 3.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
}
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/measure.stan
}
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
  array[K] simplex[4] theta_pos; // outcome pairs on positive documents
  array[K] simplex[4] theta_neg; // outcome pairs on negative documents
}
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
generated quantities {
  #include blocks/scores.stan
  for (k in 1 : K) {
    #include blocks/score_pairs.stan
  }
  delta = psi_A - psi_B;
}
