"""An operator whose dashboards have no spans of the memory looks for slowness everywhere else."""

import pytest

import graphmem

pytest.importorskip("opentelemetry.sdk", reason="it needs the SDK of OpenTelemetry")


def test_each_call_is_a_span_and_a_value_of_the_histogram() -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from graphmem.integrations.opentelemetry import Telemetry

    spans, reader, tracers = InMemorySpanExporter(), InMemoryMetricReader(), TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    telemetry = Telemetry(tracer_provider=tracers, meter_provider=MeterProvider([reader]))
    with graphmem.open(worker="none", on_event=telemetry) as memory:
        with tracers.get_tracer("test").start_as_current_span("outer"):
            memory.remember("The kettle is red.")
        memory.items.put("plans", "audit", 1)
        with pytest.raises(graphmem.errors.UnknownNodeError):
            memory.pin(99)
    remembered, outer, put, pinned = spans.get_finished_spans()
    assert [remembered.name, put.name, pinned.name] == [
        "remember default", "items.put default", "pin default"
    ]  # fmt: skip
    assert remembered.parent is not None
    assert remembered.parent.span_id == outer.context.span_id
    assert remembered.attributes is not None
    assert remembered.attributes["db.response.returned_rows"] == 1
    assert pinned.attributes is not None
    assert pinned.attributes["error.type"] == "UnknownNodeError"
    assert not pinned.status.is_ok
    assert remembered.start_time is not None
    assert remembered.end_time is not None
    assert remembered.start_time < remembered.end_time
    assert "kettle" not in "".join(span.to_json() for span in spans.get_finished_spans())
    data = reader.get_metrics_data()
    assert data is not None
    (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
    assert metric.name == "db.client.operation.duration"
    counts = [(p.attributes or {})["db.operation.name"] for p in metric.data.data_points]
    assert sorted(map(str, counts)) == ["items.put", "pin", "remember"]
