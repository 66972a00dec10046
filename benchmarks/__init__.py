"""Claims and the numbers behind them: one file per claim, ours and a named rival in the same run."""
