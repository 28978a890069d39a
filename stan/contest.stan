// Up to six systems judged on the same documents: mu ~ Beta(beta), and who says
// yes is Dirichlet given the class, with equal weights that add up to alpha_pos,
// alpha_neg. Any two of them have the posterior of paired.stan. theta is
// integrated out and drawn back exactly: its weights are too small to walk in.
#include blocks/functions.stan
data {
  int<lower=1> K; // categories
  int<lower=2, upper=6> S; // systems
  int<lower=0> R; // patterns that occurred, category by category
  array[R] int<lower=1, upper=K> category; // which one
  array[R, S] int<lower=0, upper=1> said; // 1: the system said yes
  array[R] int<lower=0> c_pos; // positive documents with that pattern
  array[R] int<lower=0> c_neg; // negative documents with that pattern
  vector<lower=0>[2] beta; // prior weight of the positive, negative class
  real<lower=0> alpha_pos; // prior weight of all patterns together
  real<lower=0> alpha_neg;
  #include blocks/measure.stan
}
transformed data {
  int P = 1; // patterns
  array[R] int place = rep_array(1, R); // which pattern that is
  int kept = R <= 1000 ? R : 0; // patterns of which theta is written
  array[K] int n_pos = rep_array(0, K); // positive documents
  array[K] int n_neg = rep_array(0, K);
  for (s in 1 : S) {
    P *= 2;
  }
  for (r in 1 : R) {
    n_pos[category[r]] += c_pos[r];
    n_neg[category[r]] += c_neg[r];
    for (s in 1 : S) {
      place[r] = 2 * place[r] - said[r, s];
    }
  }
}
parameters {
  vector<lower=0, upper=1>[K] mu; // prevalence
}
model {
  mu ~ beta(beta[1], beta[2]);
  if (!prior_only) {
    for (k in 1 : K) {
      n_pos[k] ~ binomial(n_pos[k] + n_neg[k], mu[k]);
    }
  }
}
generated quantities {
  array[S, K] vector[4] cells; // probabilities of tp, fp, fn, tn
  array[S] vector[K] psi;
  vector[kept] theta_pos; // of the patterns that occurred, given the class
  vector[kept] theta_neg;
  {
    array[S] vector[P] yes; // 1: the system says yes in that pattern
    array[K] vector[P] pos = rep_array(rep_vector(alpha_pos / P, P), K);
    array[K] vector[P] neg = rep_array(rep_vector(alpha_neg / P, P), K);
    int half = P;
    for (s in 1 : S) {
      half = half %/% 2;
      for (p in 1 : P) {
        yes[s, p] = ((p - 1) %/% half) % 2 == 0;
      }
    }
    if (!prior_only) {
      for (r in 1 : R) {
        pos[category[r], place[r]] += c_pos[r];
        neg[category[r], place[r]] += c_neg[r];
      }
    }
    for (k in 1 : K) {
      pos[k] = dirichlet_rng(pos[k]);
      neg[k] = dirichlet_rng(neg[k]);
      for (s in 1 : S) {
        cells[s, k] = cells_by(yes[s], mu[k], pos[k], neg[k]);
        psi[s, k] = measure_of(measure, cells[s, k], f_beta, zero_division,
                               prevalence);
      }
    }
    for (r in 1 : kept) {
      theta_pos[r] = pos[category[r], place[r]];
      theta_neg[r] = neg[category[r], place[r]];
    }
  }
}
