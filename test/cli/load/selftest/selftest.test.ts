// The self-test through a real lab: it finds the link to be what was asked, and another link not to be. How late single
// packets are is the machine's, which may be busy with other tests: not asserted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { parseLink } from "../../../../cli/link/link.ts";
import { judge, machineReasons } from "../../../../cli/load/selftest/judge.ts";
import { measureLink } from "../../../../cli/load/selftest/measure.ts";
import { quick } from "../../../../cli/load/selftest/phases.ts";
import type { Selftest, SelftestRow } from "../../../../schemas/generated/selftest.ts";
import { run } from "../../../product.ts";
import { tempFolder } from "../../../temp_folder.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const ajv = new Ajv();
const validate = ajv.compile(JSON.parse(readFileSync(join(root, "schemas", "selftest.schema.json"), "utf8")));

const selftest = (...words: string[]) => run(tempFolder("trilane-selftest-"), ["selftest", ...words]);

/** Not measured, as the machine did not let it be. */
const isMachines = ({ reason }: SelftestRow): boolean => reason !== null && machineReasons.includes(reason);

test("a link is measured in every row, and is what was asked", (t) => {
  const measured = (): SelftestRow[] => {
    const { stdout, stderr } = selftest("5mbit/20ms,loss=5%,queue=20p", "--quick", "--json");
    assert.notEqual(stdout, "", stderr);
    const document = JSON.parse(stdout) as Selftest;
    assert.ok(validate(document), ajv.errorsText(validate.errors));
    const [link] = document.links;
    assert.equal(link?.link, "5mbit/20ms,queue=20p,loss=5%");
    return link.rows.filter((row) => row.quantity !== "lateness");
  };
  let rows = measured();
  for (let again = 0; again < 4 && rows.some(isMachines); again++) rows = measured();
  const [machines] = rows.filter(isMachines);
  const outside = rows.filter((row) => row.outcome !== "within" && !isMachines(row));
  assert.deepEqual(outside, []);
  if (machines) return t.skip(`inconclusive: ${machines.reason}`);
  assert.deepEqual(
    rows.map((row) => `${row.quantity} ${row.direction} ${row.outcome}`),
    ["rate", "delay", "loss", "queue"].flatMap((quantity) => [`${quantity} down within`, `${quantity} up within`]),
    JSON.stringify(rows),
  );
});

test("a link that is another one than asked is out where they differ", async (t) => {
  const link = "5mbit/20ms,queue=20p";
  let record = await measureLink(parseLink(link), quick);
  for (let again = 0; again < 5 && judge(parseLink(link), record).some(isMachines); again++)
    record = await measureLink(parseLink(link), quick);
  const [machines] = judge(parseLink(link), record).filter(isMachines);
  if (machines) return t.skip(`inconclusive: ${machines.reason}`);
  const outcome = (form: string, quantity: string): (string | undefined)[] => {
    const rows = judge(parseLink(form), record).filter((row) => row.quantity === quantity);
    return rows.map((row) => row.outcome);
  };
  assert.deepEqual(outcome("5050kbit/20ms,queue=20p", "rate"), ["out", "out"]);
  assert.deepEqual(outcome("5mbit/24ms,queue=20p", "delay"), ["out", "out"]);
  assert.deepEqual(outcome("5mbit/20ms,queue=20p,loss=20%", "loss"), ["out", "out"]);
  assert.deepEqual(outcome("5mbit/20ms,queue=22p", "queue"), ["out", "out"]);
});

test("a link that is none is one line and exit status 2", () => {
  const { status, stderr } = selftest("0mbit/50ms");
  assert.equal(status, 2);
  assert.match(stderr, /^trilane: link: [^\n]+\n$/);
});
