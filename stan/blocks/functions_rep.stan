// measures and cells, as everywhere in stanoff, and new documents
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
  #include functions/predictive.stanfunctions
}
