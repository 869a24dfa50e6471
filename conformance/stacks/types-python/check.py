"""Checks that the generator numbered no type, and that the types read the test vectors."""

import json
import os
import re
from pathlib import Path

from models import InferenceProof, PaymentObject, PaymentReceipt, PaymentRequirements

numbered = re.findall(r"^class \w+\d\b", Path("models.py").read_text(), re.MULTILINE)
assert not numbered, numbered
vectors = json.loads(Path(os.environ["VECTORS"]).read_text())
PaymentRequirements.model_validate(vectors["offer"])
PaymentReceipt.model_validate(vectors["receipt"])
InferenceProof.model_validate(vectors["proof"])
PaymentObject.model_validate(
    {"payload": {"signature": vectors["signature"], "authorization": vectors["authorization"]}}
)
