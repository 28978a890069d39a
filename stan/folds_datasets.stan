// Scores of S systems in D data sets: on folds, which are correlated, or on items
// (rho = 0). The data are P = S - 1 contrasts of the systems, uncorrelated within
// data sets and of unit size there. In data set i each contrast has the standard
// deviation sigma_i, and theta_i ~ multi_student_t(nu, theta_0, T). For S = 2 it
// is the model of Corani et al. (2017); a scale of 0 makes a prior uniform.
data {
  int<lower=2> S; // systems
  int<lower=3> D; // data sets
  array[D] int<lower=2> n; // test sets of each
  vector<lower=0, upper=1>[D] rho; // correlation of two test sets of each
  matrix[S - 1, D] centre; // mean of the contrasts in each
  vector<lower=0>[D] squares; // sum of squares around it, over all contrasts
  matrix[S, S - 1] loading; // contrasts to systems, in the unit of the scores
  vector[D] level; // mean of all systems in each
  int<lower=0, upper=1> student; // 1: theta_i is Student's; 0: normal
  int<lower=0, upper=1> pooled; // 1: log sigma_i ~ normal; 0: sigma_i is uniform
  real<lower=0> mean_scale; // theta_0 ~ normal(0, mean_scale)
  real<lower=0> spread_scale; // tau ~ half-normal(0, spread_scale)
  vector<lower=0>[2] nu_shape; // nu - 1 ~ gamma(shape, rate): both are uniform
  vector<lower=0>[2] nu_rate; // between these ends, if they differ
}
transformed data {
  int P = S - 1;
  int H = student && (nu_shape[1] < nu_shape[2]) ? 1 : 0;
  vector[D] count = to_vector(n);
  vector[D] within = 1 - rho; // variance of a test set about its mean
  vector[D] precision = count ./ (1 + (count - 1) .* rho); // of that mean
  // log sigma_i as each data set tells it by itself, and how precisely
  vector[D] log_s = 0.5 * log(squares ./ (P * (count - 1) .* within));
  vector[D] known = 2 * P * (count - 1);
}
parameters {
  vector[P] theta_0;
  vector<lower=0>[P] tau;
  cholesky_factor_corr[P] L_Omega;
  matrix[P, D] z_theta; // each from where data and the common mean put it
  vector[D] z_sigma;
  array[pooled] real log_sigma_mean;
  array[pooled] real<lower=0> log_sigma_sd;
  array[student] real<lower=0> nu_minus_one;
  array[H] real<lower=nu_shape[1], upper=nu_shape[2]> shape;
  array[H] real<lower=nu_rate[1], upper=nu_rate[2]> rate;
}
transformed parameters {
  matrix[P, D] theta;
  vector[D] log_sigma;
  real log_jacobian;
  {
    // Neither centred nor not: between what a data set says and what all say,
    // as their precisions have it, so that few data sets make no funnel.
    vector[D] total = known;
    vector[D] weighed = known .* log_s;
    if (pooled) {
      total += inv_square(log_sigma_sd[1]);
      weighed += log_sigma_mean[1] * inv_square(log_sigma_sd[1]);
    }
    log_sigma = weighed ./ total + z_sigma ./ sqrt(total);
    log_jacobian = -0.5 * sum(log(total));
    {
      row_vector[D] k = (precision .* exp(-2 * log_sigma))';
      for (p in 1 : P) {
        row_vector[D] both = k + inv_square(tau[p]);
        theta[p] = (theta_0[p] * inv_square(tau[p]) + k .* centre[p]) ./ both
                   + z_theta[p] ./ sqrt(both);
        log_jacobian += -0.5 * sum(log(both));
      }
    }
  }
}
model {
  target += log_jacobian;
  if (mean_scale > 0) {
    theta_0 ~ normal(0, mean_scale);
  }
  if (spread_scale > 0) {
    tau ~ normal(0, spread_scale);
  }
  L_Omega ~ lkj_corr_cholesky(1);
  if (pooled) {
    log_sigma_mean[1] ~ normal(0, 1);
    log_sigma_sd[1] ~ normal(0, 1);
    log_sigma ~ normal(log_sigma_mean[1], log_sigma_sd[1]);
  } else {
    target += sum(log_sigma); // uniform in sigma
  }
  {
    matrix[P, P] root = diag_pre_multiply(tau, L_Omega);
    matrix[P, D] z = mdivide_left_tri_low(root, theta - rep_matrix(theta_0, D));
    row_vector[D] q = columns_dot_self(z);
    target += -D * sum(log(diagonal(root)));
    if (student) {
      real nu = 1 + nu_minus_one[1];
      nu_minus_one[1] ~ gamma(H ? shape[1] : nu_shape[1],
                              H ? rate[1] : nu_rate[1]);
      target += D * (lgamma((nu + P) / 2) - lgamma(nu / 2)
                     - 0.5 * P * log(nu))
                - 0.5 * (nu + P) * sum(log1p(q / nu));
    } else {
      target += -0.5 * sum(q);
    }
  }
  {
    vector[D] away = columns_dot_self(theta - centre)';
    target += -P * dot_product(count, log_sigma)
              - 0.5 * dot_product(squares ./ within + precision .* away,
                                  exp(-2 * log_sigma));
  }
}
generated quantities {
  array[S] vector[1] psi; // the mean over data sets
  array[S] vector[1] psi_new; // on the next data set
  {
    real spread = sd(level);
    real location = student_t_rng(D - 1, mean(level), spread / sqrt(D) + 1e-300);
    vector[P] z;
    vector[S] mean_scores = location + loading * theta_0;
    vector[S] new_scores;
    for (p in 1 : P) {
      z[p] = normal_rng(0, 1);
    }
    if (student) {
      real nu = 1 + nu_minus_one[1];
      z *= sqrt(nu / chi_square_rng(nu));
    }
    new_scores = normal_rng(location, spread + 1e-300)
                 + loading * (theta_0 + diag_pre_multiply(tau, L_Omega) * z);
    for (s in 1 : S) {
      psi[s, 1] = mean_scores[s];
      psi_new[s, 1] = new_scores[s];
    }
  }
}
