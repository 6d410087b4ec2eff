"""From what the networks saw on a page to its parts in reading order, for each kind of layout model."""
