"""From the port's record, the recorded weeks and the weather to the files of `data/`."""
