// `trilane selftest` takes what every command takes for a link: a JSON file of a profile too. Measures nothing.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseLink } from "../../../cli/link/link.ts";
import { run } from "../../product.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-selftest-");

test("a profile in JSON is read, and what is wrong with it is told before anything is measured", () => {
  const profile = parseLink("8mbit:1mbit@10s/40ms");
  const { down } = profile;
  const rate_steps = down.rate_steps?.map((step, index) => (index === 0 ? { ...step, at_ms: 5 } : step));
  writeFileSync(join(folder, "office.json"), JSON.stringify({ ...profile, down: { ...down, rate_steps } }));
  const { status, stdout, stderr } = run(folder, ["selftest", "3g", "office.json", "--quick"], { cwd: folder });
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /^trilane: link: .*office\.json: down\.rate_steps\[0\]\.at_ms is 5: the first step is at 0\n$/);
});
