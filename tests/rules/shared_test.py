"""A fleet built by many: out of a shared cache (nginx), on another machine (Bazel's own RemoteWorker), in shards (Slurm). The same bytes
as without, and green when the server goes away half way. Each part skips where Debian's package for it is missing."""
import glob
import hashlib
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

import team

NETWORKS = {"bert.mlir": "bert_base.mlir", "mobilenet.mlir": "mobilenet_v2.mlir", "resnet.mlir": "resnet50.mlir", "unet.mlir": "unet.mlir",
            "yolo.mlir": "yolo_fpn.mlir"}
# 5 networks x 4 chips x 2 settings.
MODELS = 40
BUILD = """tpu_model_fleet(
    name = "fleet",
    chips = ["bm1684x", "bm1688", "cv181x", "cv184x"],
    models = {%s},
    settings = {"float": {"quantize": "BF16"}, "int8": {"quantize": "INT8"}},
)
""" % ", ".join('"%s": "%s"' % (name.split(".")[0], name) for name in sorted(NETWORKS))
NGINX = """daemon off; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{}}
http {{ access_log {folder}/access.log; client_max_body_size 0; client_body_temp_path {folder}/tmp; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; location / {{ root {folder}/cache; dav_methods PUT; create_full_put_path on; dav_access user:rw;
    limit_except GET HEAD PUT {{ deny all; }} }} }} }}
"""
REMOTE = "/usr/src/bazel-bootstrap/src/tools/remote/src/main/java"
SERVER_JAR = "/usr/share/bazel/A-server.jar"


def program(name):
    return shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, server):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError("nothing listens on port %d" % port)


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.team = team.Team(BUILD, NETWORKS)
        built = cls.team.bazel("build", "//:all", "--output_groups=+reports", root="root_alone")
        assert built.returncode == 0, built.stderr
        cls.alone = cls.outputs()

    @classmethod
    def tearDownClass(cls):
        cls.team.close()

    @classmethod
    def outputs(cls):
        """Every file of the fleet with the hash of its bytes."""
        found = {}
        for path in sorted(glob.glob(cls.team.folder + "/bazel-bin/fleet*")):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.basename(path)] = hashlib.sha256(file.read()).hexdigest()
        return found

    def build(self, root, *flags):
        built = self.team.bazel("build", "//:all", "--output_groups=+reports", *flags, root=root)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertEqual(self.outputs(), self.alone)
        return built.stderr

    def start_nginx(self, folder, port):
        for name in ("cache", "tmp"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        config = os.path.join(folder, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=folder, port=port, user="user root;" if os.geteuid() == 0 else ""))
        server = subprocess.Popen([program("nginx"), "-e", folder + "/error.log", "-c", config], stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        wait_for(port, server)
        return server

    def test_fleet_has_all_models(self):
        modules = [name for name in self.alone if name.endswith("_final.mlir")]
        self.assertEqual(len(modules), MODELS)

    def test_cache(self):
        if not program("nginx"):
            self.skipTest("nginx is not installed")
        folder = os.path.join(self.team.scratch.name, "nginx")
        port = free_port()
        server = self.start_nginx(folder, port)
        flags = ["--remote_cache=http://127.0.0.1:%d" % port, "--remote_timeout=10"]
        first = self.build("root_1", *flags)
        self.assertNotIn("remote cache hit", first)
        again = self.build("root_2", *flags)
        self.assertGreaterEqual(int(re.search(r"(\d+) remote cache hit", again).group(1)), MODELS)
        self.assertNotRegex(again, r"\d+ (linux-sandbox|local|processwrapper-sandbox)", "nothing was made again")
        # The server goes while the third machine builds.
        building = subprocess.Popen(self.team.command("build", "//:all", "--output_groups=+reports", "--noremote_accept_cached",
                                                      *flags, root="root_3"),
                                    cwd=self.team.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.team.environment())
        before = self.requests(folder)
        while building.poll() is None and self.requests(folder) <= before + 3:
            time.sleep(0.02)
        server.terminate()
        _, said = building.communicate()
        self.assertEqual(building.returncode, 0, said)
        self.assertEqual(self.outputs(), self.alone)

    @staticmethod
    def requests(folder):
        with open(folder + "/access.log", encoding="utf-8") as log:
            return sum(1 for _ in log)

    def test_remote_execution(self):
        if not (os.path.isdir(REMOTE) and os.path.exists(SERVER_JAR) and program("javac")):
            self.skipTest("bazel-bootstrap-source is not installed")
        if subprocess.run(["unshare", "-n", "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("network namespaces are not allowed here")
        scratch = os.path.join(self.team.scratch.name, "remote")
        for name in ("classes", "work", "cas"):
            os.makedirs(os.path.join(scratch, name))
        sources = glob.glob(REMOTE + "/**/*.java", recursive=True)
        subprocess.run([program("javac"), "-proc:none", "-nowarn", "-cp", SERVER_JAR, "-d", scratch + "/classes", *sources], check=True,
                       capture_output=True)
        # It listens everywhere and runs what it is told to: in a network of its own, together with those who ask it.
        build = " ".join(["'%s'" % word for word in self.team.command(
            "build", "//:all", "--output_groups=+reports", "--remote_executor=grpc://127.0.0.1:18090", "--spawn_strategy=remote",
            root="@ROOT@")])
        script = """set -e
ip link set lo up
java -Xmx300m -cp '{scratch}/classes:{jar}' com.google.devtools.build.remote.worker.RemoteWorker --work_path='{scratch}/work' \\
  --cas_path='{scratch}/cas' --listen_port=18090 --jobs=2 >'{scratch}/log' 2>&1 &
server=$!
trap 'kill $server' EXIT
for i in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/18090) 2>/dev/null && break; sleep 0.1; done
{first}
echo ==== >&2
{second}
""".format(scratch=scratch, jar=SERVER_JAR, first=build.replace("@ROOT@", "root_4"), second=build.replace("@ROOT@", "root_5"))
        ran = subprocess.run(["unshare", "-n", "bash", "-c", script], cwd=self.team.folder, capture_output=True, check=False, text=True,
                             env=self.team.environment())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        first, second = ran.stderr.split("====\n")
        self.assertGreaterEqual(int(re.search(r"(\d+) remote[.,\n]", first).group(1)), MODELS)
        self.assertGreaterEqual(int(re.search(r"(\d+) remote cache hit", second).group(1)), MODELS)
        self.assertNotRegex(first + second, r"\d+ (linux-sandbox|local|processwrapper-sandbox)")
        self.assertEqual(self.outputs(), self.alone)

    def test_slurm(self):
        if not program("sbatch") or subprocess.run(["sinfo", "-h"], check=False, capture_output=True).stdout.strip() == b"":
            self.skipTest("no cluster of Slurm is running")
        scratch = os.path.join(self.team.scratch.name, "slurm")
        cache = "--disk_cache=" + os.path.join(self.team.scratch.name, "disk")
        command = [os.path.join(team.ROOT, "tpu_mlir/rules/slurm_fleet.sh"), "3", scratch, "//:all", "--jobs=2", cache]
        ran = subprocess.run(command, cwd=self.team.folder, capture_output=True, check=False, text=True, env=self.team.environment())
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("%d networks in 3 shards" % MODELS, ran.stdout)
        again = self.build("root_6", cache)
        self.assertGreaterEqual(int(re.search(r"(\d+) remote cache hit", again).group(1)), MODELS)
        # A network that breaks its shard breaks the whole.
        broken = subprocess.run([*command, "--spawn_strategy=no_such_strategy"],
                                cwd=self.team.folder, capture_output=True, check=False, text=True, env=self.team.environment())
        self.assertNotEqual(broken.returncode, 0)
        usage = subprocess.run(command[:3], cwd=self.team.folder, capture_output=True, check=False, text=True)
        self.assertEqual((usage.returncode, usage.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
