// Single-label documents with few classes, both classifiers together: the true
// class is mu ~ Dir(beta), and given true class k the pair of predictions is
// theta_k ~ Dir(mass / K^2, ...). Beyond Zhang et al. (2016), section 5. theta is
// integrated out and drawn back exactly: its weights are too small to walk in.
#include blocks/functions.stan
data {
  int<lower=2, upper=10> K; // classes
  int<lower=0> R; // combinations of classes that occurred
  array[R, 3] int<lower=1, upper=K> rows; // true class, A's, B's
  array[R] int<lower=0> n; // documents of each combination
  vector<lower=0>[K] beta; // prior weight of the classes
  real<lower=0> mass; // prior weight of all pairs of predictions of a class
  #include blocks/measure.stan
}
transformed data {
  array[K, K * K] int c = rep_array(0, K, K * K); // A's class in steps of K
  array[K] int n_class = rep_array(0, K); // documents of each true class
  int kept = R <= 1000 ? R : 0; // combinations of which theta is written
  for (r in 1 : R) {
    c[rows[r, 1], (rows[r, 2] - 1) * K + rows[r, 3]] += n[r];
    n_class[rows[r, 1]] += n[r];
  }
}
parameters {
  simplex[K] mu; // prevalence of the classes
}
model {
  mu ~ dirichlet(beta);
  if (!prior_only) {
    n_class ~ multinomial(mu);
  }
}
generated quantities {
  #include blocks/scores.stan
  vector[kept] theta; // of the combinations that occurred, given the class
  {
    array[2] vector[K] tp = rep_array(rep_vector(0, K), 2);
    array[2] vector[K] called = rep_array(rep_vector(0, K), 2);
    array[K] vector[K * K] pairs; // of predictions, given the class
    for (k in 1 : K) {
      vector[K * K] seen = prior_only ? rep_vector(0, K * K) : to_vector(c[k]);
      pairs[k] = dirichlet_rng(mass / (K * K) + seen);
      for (i in 1 : K) {
        for (j in 1 : K) {
          real p = mu[k] * pairs[k, (i - 1) * K + j];
          called[1, i] += p;
          called[2, j] += p;
          tp[1, k] += i == k ? p : 0;
          tp[2, k] += j == k ? p : 0;
        }
      }
    }
    for (k in 1 : K) {
      cells_A[k] = cells_from(mu[k], tp[1, k], called[1, k]);
      cells_B[k] = cells_from(mu[k], tp[2, k], called[2, k]);
      #include blocks/score_category.stan
    }
    for (r in 1 : kept) {
      theta[r] = pairs[rows[r, 1], (rows[r, 2] - 1) * K + rows[r, 3]];
    }
  }
}
