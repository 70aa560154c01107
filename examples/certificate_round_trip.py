"""Send a model's proof to somebody who does not trust you.

The certificate is a JSON document. Whoever has the data can check it: with the library, exactly, or with the
checker, which uses nothing but Python's standard library.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import dump_svmlight_file, load_iris

from separatrix import SVC, Certificate, verify

X, y = load_iris(return_X_y=True)
model = SVC(C=10.0, tol=1e-6).fit(X, y)

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    dump_svmlight_file(X, y, str(folder / "iris.libsvm"), zero_based=False)
    for species, certificate in model.certificate_.items():  # one binary problem for each class
        path = folder / f"class-{species}.json"
        certificate.save(path)
        print(f"class {species}: {Certificate.load(path).claim}")
        print("  exactly  ", verify(Certificate.load(path), X, y, exact=True).reason)
        command = [sys.executable, "-m", "separatrix.checker", str(path), str(folder / "iris.libsvm")]
        alone = subprocess.run(command, capture_output=True, text=True, check=False)
        print("  alone    ", "proved" if alone.returncode == 0 else alone.stderr.strip())
        shifted = verify(certificate, X + 1e-9, y)
        print("  other data", "proved" if shifted else shifted.reason)
