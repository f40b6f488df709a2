"""What the models of a simulation are asked and what their replies mean: the played user, and the judge. Pure."""
