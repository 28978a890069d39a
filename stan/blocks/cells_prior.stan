// data: prior weights of the unpaired models
// prior weights, the first row for A, the second for B
array[2] vector<lower=0>[2] beta; // of the positive, negative class
array[2] vector<lower=0>[2] alpha_pos; // of saying yes, no to a positive
array[2] vector<lower=0>[2] alpha_neg; // of saying yes, no to a negative
