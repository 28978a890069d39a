// Categories that are alike in more than their mean: the log-odds of the
// outcome pairs of every category are multivariate normal around a common mean,
// with standard deviations and correlations of their own (a logistic-normal
// hierarchy). Under the Dirichlet of hierarchical.stan outcomes only compete.
#include blocks/functions_rep.stan
data {
  #include blocks/pairs.stan
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  #include blocks/measure_rep.stan
}
parameters {
  // rows of six: log-odds of both, only A, only B against neither, first on
  // positive documents, then on negative ones
  vector[6] middle; // of all categories
  vector<lower=0>[6] scale; // how much categories differ
  cholesky_factor_corr[6] together; // which log-odds go together
  matrix[6, K] z; // categories, standardised
}
transformed parameters {
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  {
    matrix[6, K] odds = rep_matrix(middle, K)
                        + diag_pre_multiply(scale, together) * z;
    for (k in 1 : K) {
      theta_pos[k] = softmax(append_row(odds[1 : 3, k], 0));
      theta_neg[k] = softmax(append_row(odds[4 : 6, k], 0));
    }
  }
}
model {
  middle ~ normal(0, 1.5);
  scale ~ normal(0, 1);
  together ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  if (!prior_only) {
    for (k in 1 : K) {
      c_pos[k] ~ multinomial(theta_pos[k]);
      c_neg[k] ~ multinomial(theta_neg[k]);
    }
  }
}
generated quantities {
  #include blocks/score_theta.stan
}
