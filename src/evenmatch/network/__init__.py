"""Networks: training modules, the shipped artifact, inference. Torch and OpenVINO stay here."""
