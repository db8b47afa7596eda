"""The engine's ready queue: libstdc++'s binary heap, whose order among equals says which leaf goes first."""

from __future__ import annotations

from ..graph.node import Node


class ReadyQueue:
    """Nodes by sequence number, highest first; equals come out as std::priority_queue gives them."""

    def __init__(self) -> None:
        self.heap: list[Node] = []

    def __bool__(self) -> bool:
        return bool(self.heap)

    def push(self, node: Node) -> None:
        self.heap.append(node)
        self.rise(len(self.heap) - 1, node)

    def rise(self, hole: int, node: Node) -> None:
        """Move `node` up from `hole` past parents that go later (std::__push_heap)."""
        heap, number = self.heap, node.sequence_nr
        while hole > 0:
            parent = (hole - 1) >> 1
            if heap[parent].sequence_nr >= number:
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = node

    def pop(self) -> Node:
        heap = self.heap
        top, last = heap[0], heap.pop()
        if heap:
            self.rise(self.sink(len(heap)), last)
        return top

    def sink(self, size: int) -> int:
        """Move the hole at the top down to a leaf, always towards the later-made child (std::__adjust_heap)."""
        heap, hole = self.heap, 0
        while (child := 2 * hole + 2) < size:
            if heap[child].sequence_nr < heap[child - 1].sequence_nr:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if child == size:
            heap[hole] = heap[child - 1]
            hole = child - 1
        return hole
