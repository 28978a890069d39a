// generated quantities: the measure of category k, given its cells
psi_A[k] = measure_of(measure, cells_A[k], f_beta, zero_division,
                      prevalence);
psi_B[k] = measure_of(measure, cells_B[k], f_beta, zero_division,
                      prevalence);
delta[k] = psi_A[k] - psi_B[k];
