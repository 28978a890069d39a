// The unpaired model document by document: truth ~ Bern(mu), said ~
// Bern(rho_pos) or Bern(rho_neg) by the true class. Zhang et al. (2016), Figure
// 1a. It gives the posterior of unpaired.stan and takes longer, for it does not
// count first. Both mu are of one truth, which a simulation cannot draw from
// both: of this program calibrate rho_pos and rho_neg alone.
#include blocks/functions.stan
data {
  int<lower=1, upper=1> K; // one category
  int<lower=0> N; // documents
  array[N] int<lower=0, upper=1> truth; // whether each is positive
  array[N, 2] int<lower=0, upper=1> said; // whether A, B called it positive
  #include blocks/cells_prior.stan
  #include blocks/measure.stan
  int<lower=0, upper=1> simulate; // 1: draw what is said, too
}
parameters {
  array[2] vector<lower=0, upper=1>[1] mu; // prevalence
  array[2] vector<lower=0, upper=1>[1] rho_pos; // P(says yes | positive)
  array[2] vector<lower=0, upper=1>[1] rho_neg; // P(says yes | negative)
}
model {
  for (j in 1 : 2) {
    mu[j] ~ beta(beta[j, 1], beta[j, 2]);
    rho_pos[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
    rho_neg[j] ~ beta(alpha_neg[j, 1], alpha_neg[j, 2]);
    if (!prior_only) {
      truth ~ bernoulli(mu[j, 1]);
      for (i in 1 : N) {
        said[i, j] ~ bernoulli(truth[i] ? rho_pos[j, 1] : rho_neg[j, 1]);
      }
    }
  }
}
generated quantities {
  array[2] vector[N] log_lik; // of each document, of A and of B
  array[N, 2] int said_rep = rep_array(0, N, 2); // of the same documents
  #include blocks/score_rates.stan
  for (j in 1 : 2) {
    for (i in 1 : N) {
      real yes = truth[i] ? rho_pos[j, 1] : rho_neg[j, 1];
      log_lik[j, i] = bernoulli_lpmf(truth[i] | mu[j, 1])
                      + bernoulli_lpmf(said[i, j] | yes);
      if (simulate) {
        said_rep[i, j] = bernoulli_rng(yes);
      }
    }
  }
}
