"""Spans and metrics of OpenTelemetry for the calls of a memory: `Telemetry`. It needs the extra
`otel`."""

from __future__ import annotations

import time
from typing import Any

from graphmem.api.events import Event
from graphmem.integrations.taken import needs

with needs("otel"):
    from opentelemetry import metrics, trace


class Telemetry:
    """Records each call with OpenTelemetry: a span, and its time in a histogram.

        memory = graphmem.open("agent-memory", on_event=Telemetry())

    tracer_provider, meter_provider: None for those of the process.

    The names are those of OpenTelemetry's conventions for databases: the span is "recall default",
    verb and scope, with `db.system.name` "graphmem", `db.operation.name`, `db.namespace` (the
    scope), `db.response.returned_rows` and `error.type`; the histogram is
    `db.client.operation.duration`, in seconds. No text of a memory is in them. A span belongs to
    the one that is current in the thread of the call.
    """

    def __init__(self, *, tracer_provider: Any = None, meter_provider: Any = None) -> None:
        self._tracer = trace.get_tracer("graphmem", tracer_provider=tracer_provider)
        self._took = metrics.get_meter("graphmem", meter_provider=meter_provider).create_histogram(
            "db.client.operation.duration", unit="s", description="Duration of calls of a memory."
        )

    def __call__(self, event: Event) -> None:
        """Record a call that has ended."""
        known: dict[str, Any] = {
            "db.system.name": "graphmem",
            "db.operation.name": event.name,
            "db.namespace": event.scope,
        }
        if event.error is not None:
            known["error.type"] = event.error
        self._took.record(event.seconds, known)
        if event.count is not None:
            known["db.response.returned_rows"] = event.count
        end = time.time_ns()
        span = self._tracer.start_span(
            f"{event.name} {event.scope}",
            kind=trace.SpanKind.INTERNAL,
            attributes=known,
            start_time=end - int(event.seconds * 1e9),
        )
        if event.error is not None:
            span.set_status(trace.StatusCode.ERROR, event.error)
        span.end(end)
