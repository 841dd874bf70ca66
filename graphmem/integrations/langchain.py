"""A retriever for LangChain: `GraphmemRetriever`. It needs the extra `langgraph`."""

from __future__ import annotations

from typing import Annotated, Any

from graphmem.integrations.taken import checked_memory, needs
from graphmem.values.hits import Hit

with needs("langgraph"):
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from pydantic import AfterValidator, ConfigDict, Field


class GraphmemRetriever(BaseRetriever):
    """The hits of a recall as documents, best first.

        retriever = GraphmemRetriever(memory=memory, options={"limit": 5})
        documents = retriever.invoke("When is the release?")

    memory: from `graphmem.open`, `graphmem.attach` or `graphmem.reach`.
    options: arguments of `memory.recall` beside the cue, such as limit, where, tokens. It only
        reads: `use` is False unless they have it.

    A document's `id` is the node's, its text the memory as it is now; `metadata` has id, score,
    why, created, and where they are known happened (ISO 8601), speaker, session, and faded, how
    much is left of it. Raises what `memory.recall` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Annotated[Any, AfterValidator(checked_memory)]
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: Any = None) -> list[Document]:
        asked = {"use": False} | self.options
        return [_document(hit) for hit in self.memory.recall(query, **asked)]


def _document(hit: Hit) -> Document:
    node = hit.node
    details: dict[str, Any] = {
        "id": hit.id,
        "score": hit.score,
        "why": hit.why,
        "created": node.created.isoformat(),
        "happened": node.happened and node.happened.isoformat(),
        "speaker": node.speaker,
        "session": node.session,
        "faded": str(node.form) if node.kept < 1 else None,
    }
    known = {name: value for name, value in details.items() if value is not None}
    return Document(id=str(hit.id), page_content=hit.text, metadata=known)
