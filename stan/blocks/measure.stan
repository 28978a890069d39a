// data: which measure is computed
int<lower=1> measure; // code, see functions/measures.stanfunctions
real<lower=0> f_beta; // beta of F-beta
real zero_division; // what a measure is where it is 0/0
real<lower=0, upper=1> prevalence; // to judge at; 0: as in the data
