// data: prior weights of the paired models
vector<lower=0>[2] beta; // of the positive, negative class
vector<lower=0>[4] alpha_pos; // of the outcome pairs on positive documents
vector<lower=0>[4] alpha_neg; // of those on negative documents
