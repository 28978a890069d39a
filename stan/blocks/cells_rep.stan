// generated quantities: what loo and calibrate take of the unpaired models
array[K] vector[8] log_lik; // of each cell, those of A first
array[K, 4] int c_A_rep = rep_array(0, K, 4); // documents as drawn
array[K, 4] int c_B_rep = rep_array(0, K, 4);
