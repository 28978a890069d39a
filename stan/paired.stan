// Both classifiers judged on the same documents: mu ~ Beta(beta), theta_pos ~
// Dir(alpha_pos), theta_neg ~ Dir(alpha_neg). Zhang et al. (2016), Figure 3.
#include blocks/functions.stan
data {
  #include blocks/pairs.stan
  #include blocks/pairs_prior.stan
  #include blocks/measure.stan
}
#include blocks/paired.stan
generated quantities {
  #include blocks/score_pairs.stan
}
