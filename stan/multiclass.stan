// Single-label documents with K classes, each classifier by itself: given the
// true class j, what it says is theta_j ~ Dir(kappa w_j), where w_j puts the
// overall accuracy eta on j and shares the rest out equally. Zhang et al.
// (2016), section 5. Only cells that occurred, and the diagonal, are data.
#include blocks/functions.stan
data {
  int<lower=2> K; // classes
  array[2] int<lower=1> R; // cells of A, of B
  array[sum(R)] int<lower=1, upper=K> truth; // true class of each cell
  array[sum(R)] int<lower=1, upper=K> said; // predicted class of each cell
  array[sum(R)] int<lower=0> n; // documents in each cell, A's then B's
  vector<lower=0>[K] beta; // prior weight of the classes
  array[2] vector<lower=0>[2] alpha_pos; // prior weight of right, wrong overall
  real kappa_location; // of the log-normal prior on the kappas
  real<lower=0> kappa_scale;
  #include blocks/measure.stan
}
transformed data {
  int spread_exactly = K <= 64; // else the unseen cells of a row share equally
  int kept = sum(R) <= 1000 ? sum(R) : 0; // cells of which theta is written
  array[2, K] int n_class = rep_array(0, 2, K); // documents of each true class
  array[2, K] int n_wrong_cells = rep_array(0, 2, K); // off the diagonal
  array[2, K] int hits = rep_array(0, 2, K); // on the diagonal
  array[2, max(R)] int misses = rep_array(0, 2, max(R)); // off it
  array[2, 2, K] int class_runs;
  array[2, 2, K] int hit_runs;
  array[2, 2, max(R)] int miss_runs;
  for (r in 1 : sum(R)) {
    int j = r <= R[1] ? 1 : 2;
    n_class[j, truth[r]] += n[r];
    if (truth[r] == said[r]) {
      hits[j, truth[r]] = n[r];
    } else {
      n_wrong_cells[j, truth[r]] += 1;
      misses[j, j == 1 ? r : r - R[1]] = n[r];
    }
  }
  for (j in 1 : 2) {
    class_runs[j] = runs_of(n_class[j]);
    hit_runs[j] = runs_of(hits[j]);
    miss_runs[j] = runs_of(misses[j]);
  }
}
parameters {
  vector<lower=0, upper=1>[2] eta; // overall accuracy
  vector<lower=0>[2] kappa; // documents' worth of what eta tells
}
model {
  kappa ~ lognormal(kappa_location, kappa_scale);
  for (j in 1 : 2) {
    eta[j] ~ beta(alpha_pos[j, 1], alpha_pos[j, 2]);
  }
  if (!prior_only) {
    vector[2] wrong = kappa .* (1 - eta) / (K - 1);
    for (j in 1 : 2) {
      target += log_rising_runs(kappa[j] * eta[j], hit_runs[j])
                - log_rising_runs(kappa[j], class_runs[j]);
    }
    target += log_rising_runs(wrong[1], miss_runs[1])
              + log_rising_runs(wrong[2], miss_runs[2]);
  }
}
generated quantities {
  #include blocks/scores.stan
  array[2] vector[K] mu; // prevalence of the classes
  vector[kept] theta; // of the cells, given the true class
  {
    array[2] vector[K] tp = rep_array(rep_vector(0, K), 2);
    array[2] vector[K] called = rep_array(rep_vector(0, K), 2);
    vector[sum(R)] g; // gammas of the cells
    for (j in 1 : 2) {
      real right = fmax(kappa[j] * eta[j], 1e-300);
      real wrong = fmax(kappa[j] * (1 - eta[j]) / (K - 1), 1e-300);
      int first = j == 1 ? 1 : R[1] + 1;
      int last = j == 1 ? R[1] : R[1] + R[2];
      vector[K] seen = prior_only ? rep_vector(0, K) : to_vector(n_class[j]);
      vector[K] total = rep_vector(0, K);
      vector[K] unseen; // of each class: the cells that did not occur
      matrix[K, spread_exactly ? K : 0] other;
      mu[j] = dirichlet_rng(beta + seen);
      for (r in first : last) {
        real prior = truth[r] == said[r] ? right : wrong;
        g[r] = gamma_rng(prior + (prior_only ? 0 : n[r]), 1);
        total[truth[r]] += g[r];
      }
      if (spread_exactly) {
        for (k in 1 : K) {
          other[k] = to_row_vector(gamma_rng(rep_vector(wrong, K), 1));
        }
        for (r in first : last) {
          other[truth[r], said[r]] = 0;
        }
        for (k in 1 : K) {
          unseen[k] = sum(other[k]);
        }
      } else {
        for (k in 1 : K) {
          int cells = K - 1 - n_wrong_cells[j, k];
          unseen[k] = cells > 0 ? gamma_rng(wrong * cells, 1) : 0;
        }
      }
      total += unseen;
      for (r in first : last) {
        int k = truth[r];
        real p = mu[j, k] * g[r] / total[k];
        if (kept > 0) {
          theta[r] = g[r] / total[k];
        }
        called[j, said[r]] += p;
        tp[j, k] += said[r] == k ? p : 0;
      }
      if (spread_exactly) {
        called[j] += ((mu[j] ./ total)' * other)';
      } else {
        // what row k leaves to each cell it has not seen
        vector[K] each;
        for (k in 1 : K) {
          int cells = K - 1 - n_wrong_cells[j, k];
          each[k] = cells > 0 ? mu[j, k] * unseen[k] / (total[k] * cells) : 0;
        }
        called[j] += sum(each);
        for (r in first : last) {
          called[j, said[r]] -= each[truth[r]];
        }
      }
    }
    for (k in 1 : K) {
      cells_A[k] = cells_from(mu[1, k], tp[1, k], called[1, k]);
      cells_B[k] = cells_from(mu[2, k], tp[2, k], called[2, k]);
      #include blocks/score_category.stan
    }
  }
}
