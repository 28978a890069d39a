// data: which measure is computed, and whether the prior is drawn
int<lower=1> measure; // code, see functions/measures.stanfunctions
real<lower=0> f_beta; // beta of F-beta
real zero_division; // what a measure is where it is 0/0
real<lower=0, upper=1> prevalence; // to judge at; 0: as in the data
int<lower=0, upper=1> prior_only; // 1: draw from the prior
