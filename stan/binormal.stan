// Scores of two systems on the same documents: given the class they are
// bivariate normal, so that AUC = Phi(difference of means / root of summed
// variances). After Zhang et al. (2016), section 5. The likelihood needs only the
// number, mean and scatter of each class: cost does not grow with documents.
functions {
  // log density of N pairs of scores with this center and scatter around it
  real pairs_lpdf(vector center, matrix scatter, int N, vector m, vector s,
                  real r) {
    vector[2] d = (center - m) ./ s;
    real one_less = 1 - square(r);
    real q_A = scatter[1, 1] / square(s[1]) + N * square(d[1]);
    real q_B = scatter[2, 2] / square(s[2]) + N * square(d[2]);
    real q_AB = scatter[1, 2] / (s[1] * s[2]) + N * d[1] * d[2];
    return -N * (log(s[1]) + log(s[2]) + 0.5 * log(one_less) + log(2 * pi()))
           - 0.5 * (q_A - 2 * r * q_AB + q_B) / one_less;
  }
}
data {
  int<lower=0> N_pos; // positive documents
  int<lower=0> N_neg; // negative documents
  vector[2] center_pos; // mean scores of A and B, in pooled standard deviations
  vector[2] center_neg;
  matrix[2, 2] scatter_pos; // sums of squares and products around these
  matrix[2, 2] scatter_neg;
  real<lower=0> alpha_pos; // prior weight of the means, in documents
  real<lower=0> alpha_neg;
  real<lower=0> s_scale; // scale of the log-normal standard deviations
  real<lower=0> lkj_shape; // of the correlations: above 1 draws them to 0
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
}
parameters {
  vector[2] m_pos; // means of A and B
  vector[2] m_neg;
  vector<lower=0>[2] s_pos; // standard deviations
  vector<lower=0>[2] s_neg;
  real<lower=-1, upper=1> r_pos; // correlations
  real<lower=-1, upper=1> r_neg;
}
model {
  m_pos ~ normal(0, inv_sqrt(alpha_pos));
  m_neg ~ normal(0, inv_sqrt(alpha_neg));
  s_pos ~ lognormal(0, s_scale);
  s_neg ~ lognormal(0, s_scale);
  target += (lkj_shape - 1) * (log1m(square(r_pos)) + log1m(square(r_neg)));
  if (!prior_only) {
    target += pairs_lpdf(center_pos | scatter_pos, N_pos, m_pos, s_pos, r_pos);
    target += pairs_lpdf(center_neg | scatter_neg, N_neg, m_neg, s_neg, r_neg);
  }
}
generated quantities {
  vector[1] psi_A;
  vector[1] psi_B;
  vector[1] delta;
  psi_A[1] = Phi((m_pos[1] - m_neg[1])
                 / sqrt(square(s_pos[1]) + square(s_neg[1])));
  psi_B[1] = Phi((m_pos[2] - m_neg[2])
                 / sqrt(square(s_pos[2]) + square(s_neg[2])));
  delta = psi_A - psi_B;
}
