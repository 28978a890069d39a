// Scores of S systems that learn from each other, given observed scores whose errors
// have the covariance V: means ~ multi_normal(psi, V), psi ~ normal(m, tau). The scores
// are integrated out and drawn back; V may be singular.
data {
  int<lower=2> S; // systems
  vector[S] means; // the observed scores
  matrix[S, S] root; // root * root' = V, the covariance of the errors of the means
  real<lower=0> scale; // of the half-Cauchy prior of tau
}
transformed data {
  matrix[S, S] V = tcrossprod(root);
}
parameters {
  real m; // the mean of all systems
  real<lower=0> tau; // how much they differ
}
model {
  tau ~ cauchy(0, scale);
  means ~ multi_normal(rep_vector(m, S), add_diag(V, square(tau)));
}
generated quantities {
  vector[S] psi;
  {
    // A draw from the prior, moved by what it misses of the means (Matheron's rule).
    vector[S] prior_psi = to_vector(normal_rng(rep_vector(m, S), tau));
    vector[S] noise = root * to_vector(normal_rng(rep_vector(0, S), 1));
    psi = prior_psi
          + square(tau)
            * mdivide_left_spd(add_diag(V, square(tau)),
                               means - prior_psi - noise);
  }
}
