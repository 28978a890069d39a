// parameters and model: the unpaired model of categories that share a mean
// What follows from the data alone.
transformed data {
  array[2, K, 4] int c = {c_A, c_B};
}
// What is sampled, with its bounds.
parameters {
  vector<lower=0, upper=1>[2] eta_pos; // P(says yes | positive), overall
  vector<lower=0, upper=1>[2] eta_neg; // P(says yes | negative), overall
  vector<lower=0>[2] kappa_pos; // documents' worth of what eta_pos tells
  vector<lower=0>[2] kappa_neg;
}
// The prior, and behind prior_only the likelihood.
model {
  kappa_pos ~ lognormal(kappa_location, kappa_scale);
  kappa_neg ~ lognormal(kappa_neg_location, kappa_neg_scale);
  for (j in 1 : 2) {
    eta_pos[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
    eta_neg[j] ~ beta(alpha_neg[j, 1], alpha_neg[j, 2]);
    if (!prior_only) {
      vector[2] yes_no_pos = kappa_pos[j] * [eta_pos[j], 1 - eta_pos[j]]';
      vector[2] yes_no_neg = kappa_neg[j] * [eta_neg[j], 1 - eta_neg[j]]';
      for (k in 1 : K) {
        {c[j, k, 1], c[j, k, 3]} ~ dirichlet_counts(yes_no_pos);
        {c[j, k, 2], c[j, k, 4]} ~ dirichlet_counts(yes_no_neg);
      }
    }
  }
}
