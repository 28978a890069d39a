// Both classifiers judged on the same documents: mu ~ Beta(beta), theta_pos ~
// Dir(alpha_pos), theta_neg ~ Dir(alpha_neg). Zhang et al. (2016), Figure 3.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
}
data {
  int<lower=1> K; // categories
  // documents per outcome pair: both, only A, only B, neither said positive
  array[K, 4] int<lower=0> c_pos; // of the positive documents
  array[K, 4] int<lower=0> c_neg; // of the negative documents
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  vector<lower=0>[4] alpha_pos; // prior weight of the outcome pairs
  vector<lower=0>[4] alpha_neg;
  #include blocks/measure.stan
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
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
    cells_A[k] = cells_of_A(mu[k], theta_pos[k], theta_neg[k]);
    cells_B[k] = cells_of_B(mu[k], theta_pos[k], theta_neg[k]);
    #include blocks/score_category.stan
  }
  delta = psi_A - psi_B;
}
