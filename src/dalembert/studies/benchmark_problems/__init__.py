"""IFToMM, IVP: problems of two public benchmark libraries, with solutions, energy and constraint errors, cost."""
