// measures and cells, as everywhere in stanoff
functions {
  #include functions/measures.stanfunctions
  #include functions/outcomes.stanfunctions
}
