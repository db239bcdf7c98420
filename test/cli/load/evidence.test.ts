// Evidence whose disk gets full while a lab runs: the attempt is refused with the remedy, whatever its programs report. The real shaper, on
// small file systems in namespaces that end with the script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { programPath } from "../../../cli/base/programs.ts";
import { tempFolder } from "../../temp_folder.ts";

const module = JSON.stringify(join(import.meta.dirname, "..", "..", "..", "cli", "load", "evidence.ts"));

const script = `
import { spawnSync } from "node:child_process";
import { readFileSync, statfsSync, writeFileSync } from "node:fs";
const { openEvidence, refuseCutEvidence } = await import(${module});
const [disk, scratch, shaper, left] = process.argv.slice(1);
const evidence = await openEvidence(disk + "/attempt", scratch);
const send = "exec 2>/dev/null 3>/dev/udp/100.64.0.1/9; for i in {1..600}; do printf %1000s x >&3; done; true";
const words = ["--link", "10mbit/10ms", ...evidence.capture, "--", "bash", "-c", send];
const { stderr } = spawnSync(shaper, words, { encoding: "utf8" });
const { bavail, bsize } = statfsSync(disk);
if (left) writeFileSync(disk + "/filler", Buffer.alloc(bavail * bsize - Number(left)));
const refused = await refuseCutEvidence(evidence).then(() => null, String);
console.log(JSON.stringify({ size: readFileSync(evidence.packets).length, refused, stderr }));
`;

interface Outcome {
  readonly size: number;
  readonly refused: string | null;
  readonly stderr: string;
}

/** Of a lab whose evidence lies on a disk of that size, on which so little is left afterwards. */
function ran(size: string, left = ""): Outcome {
  const disk = tempFolder("trilane-evidence-");
  const scratch = tempFolder("trilane-evidence-");
  const mount = `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`;
  const node = [
    process.execPath,
    "--input-type=module",
    "-e",
    script,
    disk,
    scratch,
    programPath("trilane-shaper"),
    left,
  ];
  const words = ["--user", "--map-root-user", "--mount", "sh", "-c", mount, disk, ...node];
  const { status, stdout, stderr } = spawnSync("unshare", words, { encoding: "utf8", timeout: 120_000 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout.replaceAll(disk, "DISK"));
}

test("a capture that the disk cut refuses its attempt, with the remedy", () => {
  const { size, refused, stderr } = ran("64k");
  assert.match(stderr, /No space left on device: it ends here/);
  assert.ok(size <= 65_536, `${size}`);
  assert.equal(
    refused,
    "RunError: DISK/attempt/packets.pcapng: the capture was cut: no space left: free some, or name another folder",
  );
});

test("one that is whole does not, also on a small disk; but what else lies on a disk that is full may be cut", () => {
  const { size, refused, stderr } = ran("4m");
  assert.deepEqual([refused, stderr], [null, ""]);
  assert.ok(size > 100_000, `${size}`);
  assert.match(
    ran("4m", "30000").refused ?? "",
    /^RunError: DISK\/attempt: what the attempt left may be cut: no space/,
  );
});
