"""Measurements that anyone can repeat: ours and a peer side by side in one run, as ratios."""
