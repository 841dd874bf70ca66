"""A page in a headless Chromium, driven over the pipe that the browser offers.

The browser reads commands of its DevTools protocol from descriptor 3 and answers on descriptor 4,
as JSON objects that end with a zero byte. Nothing listens on a port.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from contextlib import suppress
from fcntl import F_DUPFD_CLOEXEC, fcntl
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

_PATIENCE: Final = 60.0  # seconds for an answer, or for what is waited for
_LOOK: Final = 0.05  # seconds between two looks at a page
_CLICKS: Final = 12  # tries to click what a redraw moves away
_KEYS: Final = {
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    " ": ("Space", 32, " "),
}
"""Code, number and text of the keys whose name is not what they type."""


_PUT: Final = """import os, sys
_, commands, answers, *run = sys.argv
os.dup2(int(commands), 3)
os.dup2(int(answers), 4)
os.execvp(run[0], run)
"""
"""Starts a program with its descriptors 3 and 4 in place."""


def _high(descriptor: int) -> int:
    """The same file under a descriptor that nothing is put in place of."""
    high = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return high


def program() -> str | None:
    """The program that is a Chromium: $CHROMIUM, else `chromium` or `google-chrome`; None if there
    is none."""
    named = os.environ.get("CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("google-chrome")


class PageError(Exception):
    """What the browser refused, or a script that failed in the page."""


class Page:
    """One page of a browser of its own; a context manager, which ends the browser."""

    def __init__(
        self,
        program: str,
        size: tuple[int, int] = (1280, 800),
        scale: float = 1,
        *,
        calm: bool = True,
    ) -> None:
        """size: of the page, in CSS pixels. scale: device pixels a CSS pixel. calm: the page is
        told that the person wants nothing to move."""
        self._profile = TemporaryDirectory(prefix="graphmem-page-", ignore_cleanup_errors=True)
        commands, self._to = map(_high, os.pipe())
        self._from, answers = map(_high, os.pipe())
        self._process = subprocess.Popen(
            [
                sys.executable, "-IS", "-c", _PUT, str(commands), str(answers),
                program, "--headless", "--no-sandbox", "--hide-scrollbars",
                "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking",
                f"--user-data-dir={self._profile.name}",
            ],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._read = b""
        self._number = 0
        self._session: str | None = None
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
            self._call("Page.enable")
            self._call("Performance.enable", timeDomain="threadTicks")
            self.resize(size, scale)
            if calm:
                wish = [{"name": "prefers-reduced-motion", "value": "reduce"}]
                self._call("Emulation.setEmulatedMedia", features=wish)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        with suppress(PageError, OSError):
            self._session = None
            self._call("Browser.close")
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    # -- what it shows ------------------------------------------------------------------------

    def resize(self, size: tuple[int, int], scale: float = 1) -> None:
        """Give the page another size."""
        self._call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
            deviceScaleFactor=scale, mobile=False,
        )  # fmt: skip

    def open(self, address: str, seconds: float = _PATIENCE) -> None:
        """Load an address, and wait until it says `data-ready`."""
        self._call("Page.navigate", url="about:blank")  # or one that only differs behind "#" stays
        self.until("location.href === 'about:blank'")
        self._call("Page.navigate", url=address)
        self.until("document.body && document.body.dataset.ready !== undefined", seconds)

    def value(self, script: str, seconds: float = _PATIENCE) -> Any:
        """What a script gives in the page, waited for if it is a promise. Raises PageError."""
        reply = self._call(
            "Runtime.evaluate", seconds, expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise PageError(f"{details.get('exception', details).get('description')}: {script}")
        return reply["result"].get("value")

    def until(self, script: str, seconds: float = _PATIENCE) -> Any:
        """Wait until a script gives something true; returns it. Raises PageError."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = self.value(script)
            except PageError as error:  # the page may be just loading
                found, why = None, str(error)
            else:
                why = f"it gives {found!r}"
            if found:
                return found
            if time.monotonic() > end:
                raise PageError(f"this did not come true in {seconds:g} s: {script} ({why})")
            time.sleep(_LOOK)

    def busy(self) -> float:
        """Seconds of processor time that the page's thread has taken so far: its scripts, and what
        follows from them."""
        metrics = self._call("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    def picture(self, *, quality: int | None = None) -> bytes:
        """A PNG of what is shown; with quality (1–100) a JPEG."""
        kind = {"format": "png"} if quality is None else {"format": "jpeg", "quality": quality}
        return b64decode(self._call("Page.captureScreenshot", **kind)["data"])

    def shot(self, file: Path) -> None:
        """Write a PNG of what is shown."""
        file.write_bytes(self.picture())

    # -- what a person does -------------------------------------------------------------------

    def click(self, x: float, y: float) -> None:
        """Press and release the left button at a place, in CSS pixels."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, x: float, y: float, across: float, down: float, steps: int = 4) -> None:
        """Move a place, in CSS pixels, with the left button held."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for step, kind in enumerate(["mousePressed", *["mouseMoved"] * steps, "mouseReleased"]):
            share = min(step, steps) / steps
            self._call(
                "Input.dispatchMouseEvent", type=kind, x=x + share * across, y=y + share * down,
                button="left", buttons=1, clickCount=1,
            )  # fmt: skip

    def press(self, selector: str, saying: str = "") -> None:
        """Click the first visible element that fits a CSS selector and says a text; waits for it.

        It must be the one that lies there: another one above it raises PageError. What a redraw
        moved away between the look and the click is clicked again.
        """
        wanted = f"{json.dumps(selector)}, {json.dumps(saying)}"
        look = (
            """((selector, saying) => {
              for (const e of document.querySelectorAll(selector)) {
                if (!e.textContent.includes(saying) || e.disabled) continue;
                e.scrollIntoView({block: "nearest"});
                const r = e.getBoundingClientRect();
                if (!r.width || !r.height) continue;
                const x = r.x + r.width / 2, y = r.y + r.height / 2;
                const there = document.elementFromPoint(x, y);
                if (there === null || !e.contains(there)) continue;
                window.missed = true;
                document.addEventListener("click", ({target}) => {
                  const on = target.closest(selector);  // maybe drawn anew, and at the same place
                  window.missed = !(on && on.textContent.includes(saying));
                }, {capture: true, once: true});
                return [x, y];
              }
              return null;
            })"""
            + f"({wanted})"
        )
        for _ in range(_CLICKS):
            self.click(*self.until(look))
            with suppress(PageError):
                self.until("window.missed !== true", _PATIENCE / _CLICKS)
                return
        raise PageError(f"no click reached {wanted}")

    def key(self, key: str, *, shift: bool = False) -> None:
        """Press and release a key: a character, or a name such as "Enter"."""
        code, number, text = _KEYS.get(key, (f"Key{key.upper()}", ord(key[0].upper()), key))
        event = {
            "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 * shift,
        }  # fmt: skip
        self._call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self._call("Input.dispatchKeyEvent", type="keyUp", **event)

    def write(self, text: str) -> None:
        """Put a text in where the cursor is."""
        self._call("Input.insertText", text=text)

    # -- the protocol -------------------------------------------------------------------------

    def _call(self, method: str, seconds: float = _PATIENCE, **given: Any) -> dict[str, Any]:
        self._number += 1
        sent: dict[str, Any] = {"id": self._number, "method": method, "params": given}
        if self._session is not None:
            sent["sessionId"] = self._session
        os.write(self._to, json.dumps(sent).encode() + b"\0")
        end = time.monotonic() + seconds
        while True:
            message = self._next(end)
            if message.get("id") == self._number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error'].get('message')}")
                result: dict[str, Any] = message.get("result", {})
                return result

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise PageError("the browser did not answer in time")
            part = os.read(self._from, 1 << 20)
            if not part:
                raise PageError("the browser has ended")
            self._read += part
        line, _, self._read = self._read.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message
