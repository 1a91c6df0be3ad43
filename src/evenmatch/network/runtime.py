"""OpenVINO, which runs networks on the CPU, without what it would send to its makers.

``import openvino`` imports ``openvino_telemetry``, where that is installed. That writes a client id
under the user's home and sends an event over the network. OpenVINO carries a stand-in of its own
that does neither and takes it where the package cannot be imported; so for the time of our import
it cannot. The user's own choice, in files that OpenVINO keeps, is not touched.
"""

import sys
import threading
from types import ModuleType
from typing import Any

SENDER = "openvino_telemetry"  #: the package that sends
_lock = threading.Lock()


def import_openvino() -> ModuleType:
    """Return the module openvino; if this process has not imported it yet, it sends nothing."""
    with _lock:
        if "openvino" in sys.modules:
            return sys.modules["openvino"]
        hidden = _hide()
        try:
            import openvino
        finally:
            _show(hidden)
        return openvino


def _hide() -> dict[str, Any]:
    """Make the sender impossible to import; return what was imported of it before."""
    names = [name for name in sys.modules if name.partition(".")[0] == SENDER]
    hidden = {name: sys.modules.pop(name) for name in names}
    sys.modules[SENDER] = None  # type: ignore[assignment]  # import raises ImportError
    return hidden


def _show(hidden: dict[str, Any]) -> None:
    """Let the program import the sender as before."""
    sys.modules.pop(SENDER, None)
    sys.modules.update(hidden)
