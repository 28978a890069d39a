// generated quantities: log-likelihood and new documents of category k
log_lik[k] = append_row(log_lik_of_cells(c_A[k], cells_A[k]),
                        log_lik_of_cells(c_B[k], cells_B[k]));
if (simulate) {
  c_A_rep[k] = outcomes_rng(cells_A[k], sum(c_A[k]));
  c_B_rep[k] = outcomes_rng(cells_B[k], sum(c_B[k]));
}
