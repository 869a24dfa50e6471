"""Each feature with each SDK, against the gateway."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import feature_cells
from fault_proxy import FaultProxy
from features import FEATURES, IMAGE, list_sdks
from paid_inference import Payer

SDKS = list_sdks()


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("sdk", list(SDKS))
def test_an_sdk_has_the_feature(
    sdk: str, feature: str, proxy: FaultProxy, make_payer: Callable[..., Payer]
) -> None:
    run = SDKS[sdk](make_payer(), proxy.url).get(feature)
    cells = feature_cells.setdefault(sdk, {})
    if run is None:
        cells[feature] = "–"
        pytest.skip("the test knows no such feature of the SDK")
    cells[feature] = "no"
    assert run()
    assert bool(proxy.payments) == (feature != IMAGE)
    cells[feature] = "yes"
