"""From a checkpoint's weights to the files of the three networks; nncf is imported here and nowhere else."""
