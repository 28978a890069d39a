// transformed data: the integral over items
int G = 161; // nodes of the integral over items: the trapezoidal rule
vector[G] node;
vector[G] weight;
for (g in 1 : G) {
  node[g] = -8 + 0.1 * (g - 1);
  weight[g] = exp(std_normal_lpdf(node[g])) * 0.1;
}
