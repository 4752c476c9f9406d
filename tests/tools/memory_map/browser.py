"""A headless Chromium that is told what to do over a pipe; nothing but Python's own modules."""
import json
import os
import shutil
import subprocess
import tempfile
import time

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--remote-debugging-pipe", "--window-size=1260,1400"]
PATIENCE = 60  # Seconds for one answer.


class Page:
    """One page at a time; what it throws or logs as an error is in `errors`, what it asks for in `requests`."""

    def __enter__(self):
        self.scratch = tempfile.mkdtemp()
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        os.set_blocking(self.read_end, False)

        def take_pipes():
            # Both might be 3 or 4 already.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, *FLAGS, "--user-data-dir=" + self.scratch + "/profile"], preexec_fn=take_pipes,
            pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.scratch))
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session = b"", 0, None
        self.errors, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            try:
                part = os.read(self.read_end, 1 << 20)
                if not part:
                    raise RuntimeError("the browser has gone")
                self.buffer += part
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise RuntimeError("the browser does not answer")
                time.sleep(0.005)
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, said = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(said["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.errors.append(json.dumps(said["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self._receive()
            if answer.get("id") != self.number:
                self._note(answer)
                continue
            if "error" in answer:
                raise RuntimeError(answer["error"]["message"])
            return answer["result"]

    def open(self, path):
        self.errors.clear(), self.requests.clear(), self.events.clear()
        self.call("Page.navigate", url="file://" + path)
        while "Page.loadEventFired" not in self.events:
            self._note(self._receive())

    def value(self, script):
        """What an expression of JavaScript is."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0)

    def write(self, text):
        self.call("Input.insertText", text=text)
