"""CRANE: closed forms, lemmas in 2-D and 3-D, simplified models, hanging and several cables, laws."""
