"""Generates the Python stubs of `proto/sqlenv/v1` into `src/sqlenv/v1`, or checks that they are up to date.

    python scripts/generate_stubs.py            # writes
    python scripts/generate_stubs.py --check    # compares; exit code 1 if a file differs

The generator is pinned and old on purpose: what protoc 25 writes runs on protobuf 4.25 to 7, because it does not yet
check the version of the runtime. It is installed into `python/.stub-tools` when it is missing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GRPCIO_TOOLS = "1.62.3"
"""Writes code for protobuf 4.25 and grpcio of any version."""

PYTHON_DIR = Path(__file__).resolve().parent.parent
PROTO_DIR = PYTHON_DIR.parent / "proto"
PACKAGE_DIR = Path("sqlenv") / "v1"
TOOLS_DIR = PYTHON_DIR / ".stub-tools" / f"grpcio-tools-{GRPCIO_TOOLS}-py{sys.version_info[0]}{sys.version_info[1]}"


def install_generator() -> None:
    """Installs the pinned generator beside, never into, the environment that runs this script."""
    if (TOOLS_DIR / "grpc_tools" / "protoc.py").exists():
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(TOOLS_DIR)]
    subprocess.run([*pip, f"grpcio-tools=={GRPCIO_TOOLS}", "setuptools<80"], check=True)


def generate(out_dir: Path) -> dict[str, str]:
    """Returns file name -> text of everything that the generator writes for our protos."""
    protos = sorted(str(path.relative_to(PROTO_DIR)) for path in (PROTO_DIR / PACKAGE_DIR).glob("*.proto"))
    if not protos:
        raise SystemExit(f"no .proto file under {PROTO_DIR / PACKAGE_DIR}")
    outputs = [f"--{kind}={out_dir}" for kind in ("python_out", "pyi_out", "grpc_python_out")]
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO_DIR}", *outputs, *protos]
    environment = {**os.environ, "PYTHONPATH": str(TOOLS_DIR)}
    subprocess.run(command, check=True, env=environment, cwd=out_dir)
    files = sorted((out_dir / PACKAGE_DIR).iterdir())
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    # Only the service's file has a service; the others' _grpc modules are empty.
    return {name: text for name, text in texts.items() if not name.endswith("_pb2_grpc.py") or "Stub(object)" in text}


def main() -> int:
    """Writes or compares; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check: bool = parser.parse_args().check
    install_generator()
    with tempfile.TemporaryDirectory() as folder:
        wanted = generate(Path(folder))
    target = PYTHON_DIR / "src" / PACKAGE_DIR
    present = {path.name: path.read_text(encoding="utf-8") for path in target.glob("*_pb2*")}
    differing = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
    if check:
        for name in differing:
            print(f"{PACKAGE_DIR / name} is not what the protos give; run scripts/generate_stubs.py")
        return 1 if differing else 0
    for name in differing:
        path = target / name
        if name in wanted:
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
        print(f"{'wrote' if name in wanted else 'removed'} {PACKAGE_DIR / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
