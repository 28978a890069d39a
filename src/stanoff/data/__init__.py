"""What was observed: labels from arrays, frames and files, and the counts that models need."""
