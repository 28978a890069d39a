// data: counts and prior weights of the unpaired models
int<lower=1> K; // categories
array[K, 4] int<lower=0> c_A; // documents of A: tp, fp, fn, tn
array[K, 4] int<lower=0> c_B; // documents of B: tp, fp, fn, tn
// prior weights, the first row for A, the second for B
array[2] vector<lower=0>[2] beta; // of the positive, negative class
array[2] vector<lower=0>[2] alpha_pos; // of saying yes, no to a positive
array[2] vector<lower=0>[2] alpha_neg; // of saying yes, no to a negative
