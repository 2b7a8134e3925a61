"""How numbers and lines are written for people, whatever they are about."""
