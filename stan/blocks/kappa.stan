// data: how much categories learn from each other, a priori
real kappa_location; // of the log-normal prior on kappa_pos
real<lower=0> kappa_scale;
real kappa_neg_location; // of that on kappa_neg
real<lower=0> kappa_neg_scale;
