"""Networks of Leela Chess Zero and Maia: weights files read into the shared ONNX form."""
