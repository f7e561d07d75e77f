"""Write the extension for LibreOffice Calc into dist/paribus.oxt."""

import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PLAIN = ("description.txt", "Addons.xcu", "explain_job.py", "META-INF/manifest.xml")


def build(to: Path) -> Path:
    """Zip the extension, with the version of the package."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    modules = sorted((HERE / "pythonpath").rglob("*.py"))
    to.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as extension:
        for path in [HERE / name for name in PLAIN] + modules:
            extension.write(path, path.relative_to(HERE).as_posix())
        description = (HERE / "description.xml").read_text(encoding="utf-8")
        version = project["project"]["version"]
        extension.writestr("description.xml", description.replace("VERSION", version))
        extension.write(HERE.parent / "LICENSE", "LICENSE")
    return to


if __name__ == "__main__":
    print(build(Path(*sys.argv[1:2]) if sys.argv[1:] else HERE.parent / "dist" / "paribus.oxt"))
