// data: what blocks/measure.stan has, and whether documents are drawn, too
#include blocks/measure.stan
int<lower=0, upper=1> simulate; // 1: draw documents, too
