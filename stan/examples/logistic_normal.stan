// A model of your own: the paired model with a logistic-normal prior on the
// outcome pairs, under which "only A" and "only B" may rise and fall together.
#include blocks/functions_rep.stan
data {
  #include blocks/pairs.stan
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  #include blocks/measure_rep.stan
}
transformed data {
  // log-odds of both, only A, only B against neither; the two kinds of
  // disagreement go together
  matrix[3, 3] cholesky = cholesky_decompose([[2.25, 0, 0],
                                              [0, 2.25, 1.125],
                                              [0, 1.125, 2.25]]);
}
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
  array[K] vector[3] z_pos; // log-odds on positive documents, standardised
  array[K] vector[3] z_neg; // log-odds on negative documents, standardised
}
transformed parameters {
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  for (k in 1 : K) {
    theta_pos[k] = softmax(append_row(cholesky * z_pos[k], 0));
    theta_neg[k] = softmax(append_row(cholesky * z_neg[k], 0));
  }
}
model {
  mu ~ beta(beta[1], beta[2]);
  for (k in 1 : K) {
    z_pos[k] ~ std_normal();
    z_neg[k] ~ std_normal();
    if (!prior_only) {
      sum(c_pos[k]) ~ binomial(sum(c_pos[k]) + sum(c_neg[k]), mu[k]);
      c_pos[k] ~ multinomial(theta_pos[k]);
      c_neg[k] ~ multinomial(theta_neg[k]);
    }
  }
}
generated quantities {
  #include blocks/score_pairs.stan
  real log_prior = beta_lpdf(mu | beta[1], beta[2]); // for power-scaling
  #include blocks/pairs_rep.stan
  for (k in 1 : K) {
    log_prior += std_normal_lpdf(z_pos[k]) + std_normal_lpdf(z_neg[k]);
    #include blocks/replicate_pairs.stan
  }
}
