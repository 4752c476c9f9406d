"""An editor that talks to the server: what it shows of a line, after changes, too, and what it says of mistakes."""
import json
import os
import re
import subprocess
import tempfile
import unittest

SERVER = "tpu_mlir/tools/tpuc-lsp-server/tpuc-lsp-server"
DEPLOY = "tpu_mlir/tools/model_deploy/model_deploy"
MODEL = "tpu_mlir/examples/mobilenet_v2.mlir"
URI = "file:///net.mlir"


class Editor:
    """One session of the protocol."""

    def __init__(self):
        self.server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0
        self.said = []
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.server.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def read(self):
        length = None
        for line in iter(self.server.stdout.readline, b"\r\n"):
            if not line:
                raise EOFError
            name, _, value = line.decode().partition(":")
            length = int(value) if name.lower() == "content-length" else length
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.last:
                return message.get("result")
            self.said.append(message)

    def open(self, text):
        self.tell("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": text}})

    def hover(self, line, column):
        shown = self.ask("textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": line, "character": column}})
        return shown["contents"]["value"] if shown else ""

    def close(self):
        self.ask("shutdown", {})
        self.tell("exit", {})
        self.server.stdin.close()
        self.server.stdout.close()
        return self.server.wait(timeout=60)


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as scratch:
            stem = os.path.join(scratch, "net")
            subprocess.run([DEPLOY, "--mlir", MODEL, "--chip=bm1684x", "--quantize=F16", "--disable_layer_group", "--model", stem],
                           check=True, capture_output=True)
            with open(stem + "_final.mlir", encoding="utf-8") as file:
                cls.text = file.read()
            with open(stem + "_memory.json", encoding="utf-8") as file:
                cls.rows = {row["name"]: row for row in json.load(file)["tensors"]}
        cls.lines = cls.text.splitlines()

    def setUp(self):
        self.editor = Editor()

    def tearDown(self):
        self.assertEqual(self.editor.close(), 0)

    def find(self, op):
        """The first line with an op, and where it stands there."""
        for number, line in enumerate(self.lines):
            if op in line:
                return number, line.index(op) + 1
        raise AssertionError(op)

    def test_memory_of_a_line(self):
        self.editor.open(self.text)
        shown = self.editor.hover(*self.find('"tpu.Conv2D"'))
        self.assertIn("Generic Form", shown, "what MLIR's own server shows stays")
        name, start, end, life = re.search(
            r"\*\*(\S+)\*\* activation, neuron: `(0x[0-9a-f]+)` to `(0x[0-9a-f]+)`, .* B\)?; alive in steps \[(\d+, \d+)\)", shown).groups()
        row = self.rows[name]
        self.assertEqual((int(start, 16), int(end, 16)), (row["begin"], row["end"]))
        weight = self.editor.hover(*self.find('"top.Weight"'))
        self.assertRegex(weight, r"weight, coeff: `0x[0-9a-f]+` to .*; alive always")

    def test_a_change_counts(self):
        self.editor.open(self.text)
        line, column = self.find('"tpu.Conv2D"')
        before = self.editor.hover(line, column)
        start = {"line": 0, "character": 0}
        self.editor.tell("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2},
                                                   "contentChanges": [{"range": {"start": start, "end": start}, "text": "\n\n"}]})
        self.assertEqual(self.editor.hover(line + 2, column).split("**", 1)[1], before.split("**", 1)[1])
        self.editor.tell("textDocument/didChange", {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": "// nothing\n"}]})
        self.assertEqual(self.editor.hover(0, 3), "")

    def test_without_addresses(self):
        with open(MODEL, encoding="utf-8") as file:
            text = file.read()
        self.editor.open(text)
        number = next(i for i, line in enumerate(text.splitlines()) if '"top.Conv"' in line)
        shown = self.editor.hover(number, text.splitlines()[number].index('"top.Conv"') + 1)
        self.assertIn("top.Conv", shown)
        self.assertNotIn("alive", shown)

    def test_mistakes_are_told(self):
        self.editor.open('module { "top.None"( }\n')
        self.editor.hover(0, 0)
        told = [message for message in self.editor.said if message.get("method") == "textDocument/publishDiagnostics"]
        self.assertTrue(told and told[-1]["params"]["diagnostics"])


class Flags(unittest.TestCase):
    def test_version(self):
        told = subprocess.run([SERVER, "--version"], capture_output=True, check=False, text=True)
        self.assertRegex(told.stdout, r"^tpu_memory \d")


if __name__ == "__main__":
    unittest.main()
