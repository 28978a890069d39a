// parameters and model: the unpaired model
// What follows from the data alone.
transformed data {
  array[2, K, 4] int c = {c_A, c_B};
}
// What is sampled, with its bounds.
parameters {
  array[2] vector<lower=0, upper=1>[K] mu; // prevalence
  array[2] vector<lower=0, upper=1>[K] rho_pos; // P(says yes | positive)
  array[2] vector<lower=0, upper=1>[K] rho_neg; // P(says yes | negative)
}
// The prior, and behind prior_only the likelihood.
model {
  for (j in 1 : 2) {
    mu[j] ~ beta(beta[j, 1], beta[j, 2]);
    rho_pos[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
    rho_neg[j] ~ beta(alpha_neg[j, 1], alpha_neg[j, 2]);
    if (!prior_only) {
      for (k in 1 : K) {
        int n_pos = c[j, k, 1] + c[j, k, 3];
        int n_neg = c[j, k, 2] + c[j, k, 4];
        n_pos ~ binomial(n_pos + n_neg, mu[j, k]);
        c[j, k, 1] ~ binomial(n_pos, rho_pos[j, k]);
        c[j, k, 2] ~ binomial(n_neg, rho_neg[j, k]);
      }
    }
  }
}
