"""Lets the kernel's tests run on another build of the kernel: make test-debug uses this."""

import os
import sys
from pathlib import Path

OTHER = os.environ.get("PARIBUS_KERNEL_PATH")
if OTHER:
    import paribus.strata.kernel as kernel

    loaded = [name for name in sys.modules if name.startswith("paribus.strata.kernel.")]
    if loaded:
        raise RuntimeError(f"the kernel was loaded before it could be exchanged: {loaded}")
    kernel.__path__[:] = [str(Path(OTHER).resolve())]
    import paribus.strata.kernel.task as task

    if not Path(task.__file__).is_relative_to(Path(OTHER).resolve()):
        raise RuntimeError(f"expected the kernel in {OTHER}, got {task.__file__}")
