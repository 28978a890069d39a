// Scores over time: the categories are periods in their order, and the log-odds
// of the outcome pairs walk at random from one to the next. What is known of
// one period tells of its neighbours.
#include blocks/functions_rep.stan
data {
  #include blocks/pairs.stan
  real<lower=0> step_scale; // how far a log-odds may go in one period
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  #include blocks/measure_rep.stan
}
transformed data {
  // What the documents tell of every step, in rows of six as below: the
  // information about the log-odds of two periods, of one and the next.
  matrix[6, K - 1] told = rep_matrix(0, 6, K - 1);
  if (!prior_only) {
    matrix[6, K] known;
    for (k in 1 : K) {
      vector[4] pos = (to_vector(c_pos[k]) + 1) / (sum(c_pos[k]) + 4);
      vector[4] neg = (to_vector(c_neg[k]) + 1) / (sum(c_neg[k]) + 4);
      known[1 : 3, k] = sum(c_pos[k]) * pos[1 : 3] .* (1 - pos[1 : 3]);
      known[4 : 6, k] = sum(c_neg[k]) * neg[1 : 3] .* (1 - neg[1 : 3]);
    }
    for (k in 2 : K) {
      vector[6] both = known[ : , k - 1] + known[ : , k] + 1e-9;
      told[ : , k - 1] = known[ : , k - 1] .* known[ : , k] ./ both;
    }
  }
}
parameters {
  // rows of six: log-odds of both, only A, only B against neither, first on
  // positive documents, then on negative ones
  vector[6] start; // of the first period
  real<lower=0> step; // standard deviation of a step
  // Steps in units of step / sqrt(1 + step^2 told), the standard deviation that
  // the documents leave them: the same for any step, and so without a funnel.
  matrix[6, K - 1] z;
}
transformed parameters {
  array[K] vector[4] theta_pos; // outcome pairs on positive documents
  array[K] vector[4] theta_neg; // outcome pairs on negative documents
  {
    vector[6] odds = start;
    for (k in 1 : K) {
      if (k > 1) {
        odds += step * z[ : , k - 1]
                ./ sqrt(1 + square(step) * told[ : , k - 1]);
      }
      theta_pos[k] = softmax(append_row(odds[1 : 3], 0));
      theta_neg[k] = softmax(append_row(odds[4 : 6], 0));
    }
  }
}
model {
  start ~ normal(0, 1.5);
  step ~ normal(0, step_scale);
  to_vector(z) ~ normal(0, sqrt(1 + square(step) * to_vector(told)));
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
