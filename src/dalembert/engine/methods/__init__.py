"""What may be chosen: tableaus of Runge-Kutta methods, ways to keep constraints and to deal with contacts."""
