// generated quantities: what loo and calibrate take of the paired models
array[K] vector[8] log_lik; // of each outcome pair, positive documents first
array[K, 4] int c_pos_rep = rep_array(0, K, 4); // documents as drawn
array[K, 4] int c_neg_rep = rep_array(0, K, 4);
