"""What needs paddlex 3.7.2, in an environment of its own: it gives the orders that the tests compare with."""
