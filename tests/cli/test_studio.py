import subprocess
import sys

CANARY_CASES = {
    "studio": [
        (2, ["gone.csv", "--no-browser"]),
        (2, ["people.csv", "--allow", "gone", "--no-browser"]),
    ]
}


def test_help_loads_none_of_it():
    code = (
        "import sys\nfrom shoal.cli import main\nsys.argv = ['shoal', 'studio', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'shoal.studio')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
