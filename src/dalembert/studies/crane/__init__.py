"""CRANE: closed forms, lemmas in 2-D and 3-D, hanging cables, energy, and a transport manoeuvre under several laws."""
