import pytest

from artifacts.errors import UsageError
from artifacts.evidence import PageState
from webanything.schema import records, schema


@pytest.mark.parametrize("name", ["PageState", "pagestate", "page_state.v1", "page_state"])
def test_a_record_is_found_by_class_and_by_kind(name: str) -> None:
    assert schema(name) == PageState.model_json_schema()


def test_every_record_has_a_schema_that_refuses_other_fields() -> None:
    assert {"Evidence", "Contract", "Mirror", "Report", "Environment", "Run"} <= set(records())
    for name in records():
        assert schema(name)["additionalProperties"] is False


def test_an_unknown_record_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        schema("evidense")
    assert "Evidence" in caught.value.remedy
