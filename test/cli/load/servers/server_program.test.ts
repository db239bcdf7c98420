// trilane-server: waits until a server listens, runs a command beside it, ends it, and says in one line what is wrong with it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../../../cli/base/programs.ts";
import type { ServerReport } from "../../../../schemas/generated/server_report.ts";
import { tempFolder } from "../../../temp_folder.ts";

const folder = tempFolder("trilane-server-");
const [output, report] = [join(folder, "output"), join(folder, "report.json")];

// In a network of its own: ports are free there, and no other program's.
const alone = ["--user", "--map-root-user", "--net", "--"];
function beside(server: string, options: readonly string[], command: readonly string[]) {
  rmSync(output, { force: true });
  rmSync(report, { force: true });
  const own = ["--name", "mine", "--run", server, "--output", output, "--report", report, ...options];
  const words = [...alone, programPath("trilane-server"), ...own, "--", ...command];
  const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 120_000 });
  return { status, stdout, stderr: stderr.trim() };
}
const readReport = () => JSON.parse(readFileSync(report, "utf8")) as ServerReport;

const script = join(folder, "server.mjs");
writeFileSync(script, `import { createServer } from "node:net"; createServer().listen(Number(process.argv[2]));\n`);
const listenAt = (port: number): string => `exec ${process.execPath} ${script} ${port}`;
const shell = (text: string): string[] => ["sh", "-c", text];

test("the command runs once the server listens, and the server ends with it", () => {
  const { status, stdout, stderr } = beside(
    listenAt(443),
    ["--listens", "tcp:443"],
    shell("grep -c :01BB /proc/net/tcp6; exit 7"),
  );
  assert.deepEqual([status, stdout.trim(), stderr], [7, "1", ""]);
  const { cpu_ns, ended } = readReport();
  assert.equal(ended, null);
  assert.ok(cpu_ns !== null);
  assert.equal(spawnSync("pgrep", ["-f", script]).status, 1);
});

test("what a server that ends before it listens said last", () => {
  const { status, stderr } = beside("echo one; echo cannot bind >&2; exit 3", ["--listens", "tcp:443"], ["true"]);
  assert.deepEqual(
    [status, stderr],
    [2, "trilane-server: server mine ended before it listened (exit status 3): cannot bind"],
  );
});

test("where a server that listens elsewhere does", () => {
  const after = (patience_ms: number) =>
    beside(listenAt(8443), ["--listens", "tcp:443", "--patience-ms", String(patience_ms)], ["true"]);
  // On a busy machine it is there later.
  let late = after(1000);
  for (
    let patience_ms = 4000;
    late.stderr.endsWith("(it does on TCP no port)") && patience_ms < 64_000;
    patience_ms *= 4
  )
    late = after(patience_ms);
  assert.deepEqual(
    [late.status, late.stderr],
    [2, "trilane-server: server mine does not listen on TCP port 443 (it does on TCP 8443)"],
  );
  assert.equal(spawnSync("pgrep", ["-f", script]).status, 1);
});

test("a server that ends while the command runs is in the report", () => {
  // It ends once the command runs, and the command once its parent has taken the server's exit status.
  const [runs, shellPid] = [join(folder, "runs"), join(folder, "shell-pid")];
  const { status, stderr } = beside(
    `echo $$ >${shellPid}; ${process.execPath} ${script} 443 & until [ -e ${runs} ]; do sleep 0.02; done; kill -9 $!; exit 9`,
    ["--listens", "tcp:443"],
    shell(`: >${runs}; while kill -0 "$(cat ${shellPid})" 2>/dev/null; do sleep 0.02; done`),
  );
  assert.equal(status, 0, stderr);
  const { cpu_ns, ended } = readReport();
  assert.equal(cpu_ns, null);
  assert.deepEqual([ended?.exit_status, ended?.signal], [9, null]);
});
