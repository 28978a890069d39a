// data: counts and prior weights of the unpaired models
int<lower=1> K; // categories
array[K, 4] int<lower=0> c_A; // documents of A: tp, fp, fn, tn
array[K, 4] int<lower=0> c_B; // documents of B: tp, fp, fn, tn
#include blocks/cells_prior.stan
