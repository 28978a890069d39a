// The paired model where the truth is not known: c_pos and c_neg are counted by
// the labels of a judge with unknown sensitivity and specificity, about which a
// calibration set tells. The latent truth of every distinct row (what the
// judge, A and B said) is summed out. Without errors it is paired.stan.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions

  // Probabilities of the rows: those that the judge calls positive by outcome
  // pair, then those that it calls negative.
  vector rows_of(real mu, vector theta_pos, vector theta_neg,
                 real sensitivity, real specificity) {
    vector[4] pos = mu * theta_pos;
    vector[4] neg = (1 - mu) * theta_neg;
    return append_row(sensitivity * pos + (1 - specificity) * neg,
                      (1 - sensitivity) * pos + specificity * neg);
  }
}
data {
  // positive and negative documents are those that the judge calls so
  #include blocks/pairs.stan
  // calibration: positives called positive, all positives, negatives called
  // negative, all negatives; zeros if there is none
  array[4] int<lower=0> calibration;
  vector<lower=0>[2] errors; // prior weight of a right, a wrong label
  #include blocks/pairs_prior.stan
  #include blocks/measure_rep.stan
}
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
  array[K] simplex[4] theta_pos; // outcome pairs on positive documents
  array[K] simplex[4] theta_neg; // outcome pairs on negative documents
  // a judge who is wrong more often than right would turn the classes round
  real<lower=0.5, upper=1> sensitivity; // P(called positive | positive)
  real<lower=0.5, upper=1> specificity; // P(called negative | negative)
}
model {
  mu ~ beta(beta[1], beta[2]);
  sensitivity ~ beta(errors[1], errors[2]);
  specificity ~ beta(errors[1], errors[2]);
  for (k in 1 : K) {
    theta_pos[k] ~ dirichlet(alpha_pos);
    theta_neg[k] ~ dirichlet(alpha_neg);
  }
  if (!prior_only) {
    calibration[1] ~ binomial(calibration[2], sensitivity);
    calibration[3] ~ binomial(calibration[4], specificity);
    for (k in 1 : K) {
      append_array(c_pos[k], c_neg[k]) ~ multinomial(
        rows_of(mu[k], theta_pos[k], theta_neg[k], sensitivity, specificity));
    }
  }
}
generated quantities {
  #include blocks/score_pairs.stan
  array[K] vector[8] log_lik; // of each row, those called positive first
  array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
  array[K, 4] int c_neg_rep = rep_array(0, K, 4);
  array[4] int calibration_rep = {0, calibration[2], 0, calibration[4]};
  for (k in 1 : K) {
    vector[8] p = rows_of(mu[k], theta_pos[k], theta_neg[k], sensitivity,
                          specificity);
    log_lik[k] = append_row(log_lik_of_cells(c_pos[k], p[1 : 4]),
                            log_lik_of_cells(c_neg[k], p[5 : 8]));
    if (simulate) {
      array[8] int drawn = outcomes_rng(p / sum(p),
                                        sum(c_pos[k]) + sum(c_neg[k]));
      c_pos_rep[k] = drawn[1 : 4];
      c_neg_rep[k] = drawn[5 : 8];
    }
  }
  if (simulate) {
    calibration_rep[1] = binomial_rng(calibration[2], sensitivity);
    calibration_rep[3] = binomial_rng(calibration[4], specificity);
  }
}
