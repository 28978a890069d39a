// generated quantities: the mean of each system
array[S] vector[1] psi;
for (s in 1 : S) {
  psi[s, 1] = mu[s];
}
