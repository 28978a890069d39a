// Trained copies (seeds) crossed with documents: y[s, i, r] = mu[s] + document
// + copy + residual. Documents are shared by the systems, copies are not. Such a
// table is known by its means and its three sums of squares, so that the cost does
// not grow with documents.
data {
  int<lower=2, upper=6> S; // systems
  int<lower=2> N; // documents
  array[S] int<lower=2> copies; // of each system
  vector[S] centre; // mean of each system
  cov_matrix[S] documents; // squares and products of the means of documents
  vector<lower=0>[S] seeds; // N times the squares of the means of copies
  vector<lower=0>[S] residuals; // squares of what is left
  vector<lower=0>[S] seed_scale; // half-Cauchy scale of the sd over copies
}
transformed data {
  vector[S] spread = sqrt(diagonal(documents) / (N - 1)); // to walk in small steps
  vector[S] R = to_vector(copies);
  vector[S] degrees = (N - 1) * (R - 1);
}
parameters {
  vector[S] z; // means, in standard deviations of documents over sqrt(N)
  vector<lower=0>[S] tau; // sd of document means, in those observed
  cholesky_factor_corr[S] L_Omega; // correlation of the systems over documents
  vector<lower=0>[S] sigma_seed; // sd over copies
  vector<lower=0>[S] sigma; // sd of the residuals
}
transformed parameters {
  vector[S] mu = centre + spread .* z / sqrt(N);
}
model {
  matrix[S, S] root = diag_pre_multiply(spread .* tau, L_Omega);
  matrix[S, S] V = multiply_lower_tri_self_transpose(root);
  L_Omega ~ lkj_corr_cholesky(1);
  // |Sigma|^-S of the means of documents, as in items.stan
  target += -S * sum(log(tau)) - 2 * S * sum(log(diagonal(L_Omega)));
  sigma_seed ~ cauchy(0, seed_scale);
  target += -sum(log(sigma));
  documents ~ wishart(N - 1, V);
  target += -0.5 * (R - 1) .* log(N * square(sigma_seed) + square(sigma));
  target += -0.5 * seeds ./ (N * square(sigma_seed) + square(sigma));
  target += -degrees .* log(sigma) - 0.5 * residuals ./ square(sigma);
  centre ~ multi_normal(mu, add_diag(V / N, square(sigma_seed) ./ R));
}
generated quantities {
  // the mean of new copies over new documents
  #include blocks/psi.stan
}
