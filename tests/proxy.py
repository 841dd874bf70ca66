"""A TCP proxy on loopback that delays, cuts and swallows, as a network does.

    python -m tests.proxy PORT MILLISECONDS

prints its own port, and takes a line each on standard input: "cut", "swallow" (what the server
answers), "pass".
"""

import asyncio
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Proxy:
    """A proxy in a process of its own; `delay` is in milliseconds, each way."""

    def __init__(self, port: int, delay: float = 0.0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.proxy", str(port), str(delay)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def say(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._process.kill()
        self._process.wait()


class _Served:
    def __init__(self, target: int, delay: float) -> None:
        self._target, self._delay = target, delay / 1000
        self.state = "pass"
        self._writers: set[asyncio.StreamWriter] = set()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.state == "cut":
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        await asyncio.gather(
            self._pump(reader, back, answers=False), self._pump(there, writer, answers=True)
        )
        self._writers -= {writer, back}

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def pass_on() -> None:
            while True:
                due, data = await queue.get()
                if not data:
                    return
                if answers and self.state == "swallow":
                    continue
                await asyncio.sleep(max(0.0, due - loop.time()))
                writer.write(data)
                await writer.drain()

        passing = asyncio.create_task(pass_on())
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                queue.put_nowait((loop.time() + self._delay, data))
        queue.put_nowait((0.0, b""))
        with suppress(OSError):
            await passing
        writer.close()

    async def listen(self) -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            self.state = line.decode().strip()
            if self.state == "cut":
                for writer in self._writers:
                    writer.transport.abort()


async def main() -> None:
    served = _Served(int(sys.argv[1]), float(sys.argv[2]))
    server = await asyncio.start_server(served.handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await served.listen()


if __name__ == "__main__":
    asyncio.run(main())
