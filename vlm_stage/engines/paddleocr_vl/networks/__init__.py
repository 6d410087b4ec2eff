"""The networks on a device, and the arrays that they take."""
