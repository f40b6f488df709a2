"""Pure, frozen: the words of the domain and the rules between them. No I/O, clock, random or environment."""
