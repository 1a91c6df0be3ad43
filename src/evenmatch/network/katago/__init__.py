"""Networks of KataGo: model files read into the shared ONNX form."""
