// Scores of two systems on the same documents, as in binormal.stan: given the
// class they are bivariate normal, so that AUC = Phi(difference of means / root
// of summed variances).
data {
  int<lower=4> N; // documents
  array[N] int<lower=0, upper=1> truth; // 1: positive
  // scores of A and B, in standard deviations from their mean; probabilities
  // were turned into log-odds first
  array[N] vector[2] standard_score;
  real<lower=0> alpha_pos; // prior weight of the means, in documents
  real<lower=0> alpha_neg;
  int<lower=1, upper=1> measure; // 1: AUC
  int<lower=0, upper=1> prior_only; // 1: draw from the prior
  int<lower=0, upper=1> simulate; // 1: draw scores, too
}
transformed data {
  int n_pos = sum(truth);
  array[N] int place = sort_indices_desc(truth); // positive documents first
}
parameters {
  vector[2] m_pos; // means of A and B
  vector[2] m_neg;
  vector<lower=0>[2] s_pos; // standard deviations
  vector<lower=0>[2] s_neg;
  cholesky_factor_corr[2] L_pos; // correlations
  cholesky_factor_corr[2] L_neg;
}
model {
  m_pos ~ normal(0, inv_sqrt(alpha_pos));
  m_neg ~ normal(0, inv_sqrt(alpha_neg));
  s_pos ~ lognormal(0, 0.5);
  s_neg ~ lognormal(0, 0.5);
  L_pos ~ lkj_corr_cholesky(2);
  L_neg ~ lkj_corr_cholesky(2);
  if (!prior_only) {
    standard_score[place[1 : n_pos]] ~ multi_normal_cholesky(
      m_pos, diag_pre_multiply(s_pos, L_pos));
    standard_score[place[n_pos + 1 : N]] ~ multi_normal_cholesky(
      m_neg, diag_pre_multiply(s_neg, L_neg));
  }
}
generated quantities {
  real psi_A = Phi((m_pos[1] - m_neg[1]) / hypot(s_pos[1], s_neg[1]));
  real psi_B = Phi((m_pos[2] - m_neg[2]) / hypot(s_pos[2], s_neg[2]));
  real delta = psi_A - psi_B;
  real log_prior = normal_lpdf(m_pos | 0, inv_sqrt(alpha_pos))
                   + normal_lpdf(m_neg | 0, inv_sqrt(alpha_neg))
                   + lognormal_lpdf(s_pos | 0, 0.5)
                   + lognormal_lpdf(s_neg | 0, 0.5)
                   + lkj_corr_cholesky_lpdf(L_pos | 2)
                   + lkj_corr_cholesky_lpdf(L_neg | 2); // for power-scaling
  vector[N] log_lik; // of each document, given its class
  array[N] vector[2] standard_score_rep = rep_array(rep_vector(0, 2), N);
  for (i in 1 : N) {
    vector[2] m = truth[i] ? m_pos : m_neg;
    matrix[2, 2] L = truth[i] ? diag_pre_multiply(s_pos, L_pos)
                     : diag_pre_multiply(s_neg, L_neg);
    log_lik[i] = multi_normal_cholesky_lpdf(standard_score[i] | m, L);
    if (simulate) {
      standard_score_rep[i] = multi_normal_cholesky_rng(m, L);
    }
  }
}
