// generated quantities: what was integrated out of category k, drawn back
vector[4] seen_pos = prior_only ? rep_vector(0, 4) : to_vector(c_pos[k]);
vector[4] seen_neg = prior_only ? rep_vector(0, 4) : to_vector(c_neg[k]);
mu[k] = beta_rng(beta[1] + sum(seen_pos), beta[2] + sum(seen_neg));
theta_pos[k] = dirichlet_rng(kappa_pos * eta_pos + seen_pos);
theta_neg[k] = dirichlet_rng(kappa_neg * eta_neg + seen_neg);
