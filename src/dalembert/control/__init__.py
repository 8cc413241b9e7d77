"""Control laws as expressions, compiled into the time loop."""
