// generated quantities: what every program of labels generates
array[K] vector[4] cells_A; // probabilities of tp, fp, fn, tn
array[K] vector[4] cells_B;
vector[K] psi_A;
vector[K] psi_B;
vector[K] delta;
