// parameters and model: the paired model of categories that share a mean
// What is sampled, with its bounds.
parameters {
  simplex[4] eta_pos; // outcome pairs on positive documents, overall
  simplex[4] eta_neg; // outcome pairs on negative documents, overall
  real<lower=0> kappa_pos; // documents' worth of what eta_pos tells
  real<lower=0> kappa_neg;
}
// The prior, and behind prior_only the likelihood.
model {
  eta_pos ~ dirichlet(alpha_pos);
  eta_neg ~ dirichlet(alpha_neg);
  kappa_pos ~ lognormal(kappa_location, kappa_scale);
  kappa_neg ~ lognormal(kappa_neg_location, kappa_neg_scale);
  if (!prior_only) {
    for (k in 1 : K) {
      c_pos[k] ~ dirichlet_counts(kappa_pos * eta_pos);
      c_neg[k] ~ dirichlet_counts(kappa_neg * eta_neg);
    }
  }
}
