"""The page: one player of runs in three places (studio, report, notebook), and the data that it is given."""
