// data: the prior of the difference; for folds read folds in the place of items
real<lower=0> prior_weight; // how many items the prior is worth; 0: flat
real<lower=0> prior_sd; // standard deviation of the differences, a priori
real<lower=0> prior_degrees; // how many items' worth that is known
