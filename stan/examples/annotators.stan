// The paired model where the truth is not known and several annotators label
// the documents, each with a sensitivity and a specificity of its own. The
// latent truth of every distinct row (what the annotators, A and B said) is
// summed out. Three annotators tell how often each errs; fewer need a
// calibration set.
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions

  // Probabilities of rows, given who labelled the document.
  vector rows_of(array[,] int labels, array[] int outcome, real mu,
                 vector theta_pos, vector theta_neg, vector sensitivity,
                 vector specificity) {
    int M = size(outcome);
    vector[M] pos = mu * theta_pos[outcome];
    vector[M] neg = (1 - mu) * theta_neg[outcome];
    for (m in 1 : M) {
      for (r in 1 : num_elements(sensitivity)) {
        if (labels[m, r] == 1) {
          pos[m] *= sensitivity[r];
          neg[m] *= 1 - specificity[r];
        } else if (labels[m, r] == 0) {
          pos[m] *= 1 - sensitivity[r];
          neg[m] *= specificity[r];
        }
      }
    }
    return pos + neg;
  }
}
data {
  int<lower=0> N; // documents
  int<lower=1> R; // annotators
  int<lower=1> M; // distinct rows
  // what each annotator calls these documents: 1 positive, 0 negative, -1 has
  // not labelled them
  array[M, R] int<lower=-1, upper=1> labels;
  array[M] int<lower=1, upper=4> outcome; // both, only A, only B, neither
  array[M] int<lower=0> n; // how many documents there are
  // of each annotator: positives called positive, all positives, negatives
  // called negative, all negatives; zeros if there is no calibration set
  array[R, 4] int<lower=0> calibration;
  vector<lower=0>[2] errors; // prior weight of a right, a wrong label
  #include blocks/pairs_prior.stan
  #include blocks/measure_rep.stan
}
transformed data {
  array[M] int group; // the first row that the same annotators labelled
  array[M] int of_group = rep_array(0, M); // its documents, at that row
  if (sum(n) != N) {
    reject("n must add up to ", N, " documents, but adds up to ", sum(n));
  }
  for (m in 1 : M) {
    int same = 0;
    group[m] = 0;
    while (!same) {
      group[m] += 1;
      same = 1;
      for (r in 1 : R) {
        same = same && (labels[m, r] < 0) == (labels[group[m], r] < 0);
      }
    }
    of_group[group[m]] += n[m];
  }
}
parameters {
  real<lower=0, upper=1> mu; // prevalence
  simplex[4] theta_pos; // outcome pairs on positive documents
  simplex[4] theta_neg; // outcome pairs on negative documents
  // annotators who are wrong more often than right would turn the classes round
  vector<lower=0.5, upper=1>[R] sensitivity; // P(called positive | positive)
  vector<lower=0.5, upper=1>[R] specificity; // P(called negative | negative)
}
model {
  mu ~ beta(beta[1], beta[2]);
  theta_pos ~ dirichlet(alpha_pos);
  theta_neg ~ dirichlet(alpha_neg);
  sensitivity ~ beta(errors[1], errors[2]);
  specificity ~ beta(errors[1], errors[2]);
  if (!prior_only) {
    calibration[ : , 1] ~ binomial(calibration[ : , 2], sensitivity);
    calibration[ : , 3] ~ binomial(calibration[ : , 4], specificity);
    target += lmultiply(to_vector(n),
                        rows_of(labels, outcome, mu, theta_pos, theta_neg,
                                sensitivity, specificity));
  }
}
generated quantities {
  vector[4] cells_A = cells_of_A(mu, theta_pos, theta_neg); // by the truth
  vector[4] cells_B = cells_of_B(mu, theta_pos, theta_neg);
  real psi_A = measure_of(measure, cells_A, f_beta, zero_division, prevalence);
  real psi_B = measure_of(measure, cells_B, f_beta, zero_division, prevalence);
  real delta = psi_A - psi_B;
  vector[M] log_lik; // of each row
  array[M] int n_rep = rep_array(0, M); // documents as drawn, of these rows
  array[R, 4] int calibration_rep = calibration;
  {
    vector[M] p = rows_of(labels, outcome, mu, theta_pos, theta_neg,
                          sensitivity, specificity);
    log_lik = lmultiply(to_vector(n), p);
    if (simulate) {
      array[M] int left = of_group; // what is not yet drawn
      vector[M] rest = rep_vector(1, M);
      for (m in 1 : M) {
        int g = group[m];
        n_rep[m] = binomial_rng(left[g], p[m] / fmax(rest[g], p[m]));
        left[g] -= n_rep[m];
        rest[g] -= p[m];
      }
      calibration_rep[ : , 1] = binomial_rng(calibration[ : , 2], sensitivity);
      calibration_rep[ : , 3] = binomial_rng(calibration[ : , 4], specificity);
    }
  }
}
