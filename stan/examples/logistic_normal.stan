// A model of your own: the paired model with a logistic-normal prior on the
// outcome pairs, under which "only A" and "only B" may rise and fall together.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions
}
data {
  int<lower=1> K; // categories
  array[K, 4] int<lower=0> c_pos; // positive documents by outcome pair
  array[K, 4] int<lower=0> c_neg; // negative documents by outcome pair
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  #include blocks/measure.stan
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw documents, too
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
  #include blocks/scores.stan
  real log_prior = beta_lpdf(mu | beta[1], beta[2]); // for power-scaling
  array[K] vector[8] log_lik; // of each outcome pair, positive documents first
  array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_neg_rep = rep_array(0, K, 4);
  for (k in 1 : K) {
    cells_A[k] = cells_of_A(mu[k], theta_pos[k], theta_neg[k]);
    cells_B[k] = cells_of_B(mu[k], theta_pos[k], theta_neg[k]);
    #include blocks/score_category.stan
    log_prior += std_normal_lpdf(z_pos[k]) + std_normal_lpdf(z_neg[k]);
    log_lik[k] = log_lik_of_pairs(c_pos[k], c_neg[k], mu[k], theta_pos[k],
                                  theta_neg[k]);
    if (simulate) {
      array[2, 4] int drawn = pairs_rng(sum(c_pos[k]) + sum(c_neg[k]), mu[k],
                                        theta_pos[k], theta_neg[k]);
      c_pos_rep[k] = drawn[1];
      c_neg_rep[k] = drawn[2];
    }
  }
  delta = psi_A - psi_B;
}
