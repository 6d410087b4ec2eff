"""What must equal paddlex, measured against it: these modules need paddlex and onnx, and write fixtures."""
