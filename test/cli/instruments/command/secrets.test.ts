// cli/instruments/command/export/secrets.ts: what is secret in command lines and in output becomes x, and nothing else changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretMask } from "../../../../cli/instruments/command/export/secrets.ts";

const url = "https://shop.example/";

/** The words after the program's, what becomes of them, and how many values were masked. */
const lines: readonly (readonly [words: readonly string[], masked: readonly string[], values: number])[] = [
  [["-so", "/dev/null", url], ["-so", "/dev/null", url], 0],
  [["-H", "Authorization: Bearer abc123def"], ["-H", "Authorization: Bearer xxxxxxxxx"], 1],
  [["-HX-Api-Key: k3y5"], ["-HX-Api-Key: xxxx"], 1],
  [["--header=Cookie: id=s3cr3t; theme=dark"], ["--header=Cookie: id=xxxxxx; theme=xxxx"], 2],
  [["-H", "Accept: text/html"], ["-H", "Accept: text/html"], 0],
  [["-u", "ann:hunter22"], ["-u", "xxxxxxxxxxxx"], 1],
  [["-u", "script.py"], ["-u", "script.py"], 0],
  [["-b", "sid=s3cr3t"], ["-b", "sid=xxxxxx"], 1],
  [["--token", "abcd"], ["--token", "xxxx"], 1],
  [["--oauth2-bearer=abcd"], ["--oauth2-bearer=xxxx"], 1],
  [["--token", "--verbose"], ["--token", "--verbose"], 0],
  [["API_KEY=abcd", "LEVEL=high", "node", "a.js"], ["API_KEY=xxxx", "LEVEL=high", "node", "a.js"], 1],
  [["-d", '{"user":"ann","password":"p4ss"}'], ["-d", '{"user":"ann","password":"xxxx"}'], 1],
  [["-d", "user=ann&password=p4ss"], ["-d", "user=ann&password=xxxx"], 1],
  [[`${url}?q=1&token=abcd`], [`${url}?q=1&token=xxxx`], 1],
  [["https://ann:p4ss@shop.example/"], ["https://xxx:xxxx@shop.example/"], 2],
  [
    ["-c", `TOKEN="abcd" curl -H 'X-Auth: e5f6' -u "ann:p4ss" ${url} | jq .`],
    ["-c", `TOKEN="xxxx" curl -H 'X-Auth: xxxx' -u "xxxxxxxx" ${url} | jq .`],
    3,
  ],
  [["--command", `a=curl -H 'X-Auth: e5f6' ${url}`], ["--command", `a=curl -H 'X-Auth: xxxx' ${url}`], 1],
];

test("secrets of command lines are masked, by headers' and names' rules, wherever a command line has them", () => {
  for (const [words, masked, values] of lines) {
    const mask = new SecretMask();
    assert.deepEqual(mask.lines([["curl", ...words]]), [["curl", ...masked]]);
    assert.deepEqual(mask.counts, { command_lines: values, output: 0 }, words.join(" "));
  }
});

const outputs: readonly (readonly [printed: string, masked: string])[] = [
  ["ready in 12.5 ms\nstatus: 200", "ready in 12.5 ms\nstatus: 200"],
  ["> GET / HTTP/2\n> X-Trace: abcd\n> Accept: */*", "> GET / HTTP/2\n> X-Trace: xxxx\n> Accept: */*"],
  ["< Set-Cookie: id=s3cr3t; Secure", "< Set-Cookie: id=xxxxxx; Secure"],
  ["Authorization: Basic YW5uOnA0c3M=", "Authorization: Basic xxxxxxxxxxxx"],
  ['{"access_token": "abcd", "expires": 60}', '{"access_token": "xxxx", "expires": 60}'],
  ["HOME=/root\nAPI_TOKEN=abcd", "HOME=/root\nAPI_TOKEN=xxxx"],
  [`moved to ${url}?session=abcd`, `moved to ${url}?session=xxxx`],
];

test("secrets in output are masked by the same rules", () => {
  for (const [printed, masked] of outputs) {
    const mask = new SecretMask();
    assert.equal(mask.output(printed), masked);
    assert.equal(mask.counts.output, Number(printed !== masked));
  }
});

test("what a command line had is masked in the output, whatever stands around it, and where the output was cut", () => {
  const mask = new SecretMask();
  const [, second] = mask.lines([
    ["curl", "-u", "ann:hunter22", "-H", "X-Key: abc"],
    ["echo", "ann:hunter22"],
  ]);
  assert.deepEqual(second, ["echo", "xxxxxxxxxxxx"]);
  assert.equal(mask.output("who: (ann:hunter22)!"), "who: (xxxxxxxxxxxx)!");
  assert.equal(mask.output("unter22 and abc"), "xxxxxxx and abc", "three letters may be a part of any word");
});
