// data: counts of the paired models
int<lower=1> K; // categories
// documents per outcome pair: both, only A, only B, neither said positive
array[K, 4] int<lower=0> c_pos; // of the positive documents
array[K, 4] int<lower=0> c_neg; // of the negative documents
