// A program that breaks in the way that its data ask for.
data {
  int<lower=1> K;
  array[K, 4] int<lower=0> c_pos;
  int<lower=0> trouble;
  int<lower=0> N_own;
  array[N_own] real x;
}
parameters {
  vector[2] y;
  real<lower=0, upper=1> p;
}
model {
  if (trouble == 1) {
    reject("p is ", p, ", which I do not like");
  }
  if (trouble != 3) {
    y ~ normal(0, 1);
  }
  p ~ beta(1 + c_pos[1, 1], 1 + c_pos[1, 4]);
}
generated quantities {
  vector[K] delta = rep_vector(p - 0.5, K);
  if (trouble == 2) {
    reject("p is ", p, ", which I cannot use");
  }
  if (trouble == 4) {
    delta[1] = sqrt(-p);
  }
}
