// Why a page could not be recorded: what the browser says gets a remedy where one is known.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRemedy, withRemedy } from "../../../../cli/recording/record/failure.ts";

test("an error of the network comes with what to do, another as it is", () => {
  const refused = "the page did not load: net::ERR_CONNECTION_REFUSED";
  const url = "https://localhost:8443/";
  assert.equal(withRemedy(refused, url), `${refused}: nothing listens there: check the URL's host and port`);
  assert.equal(withRemedy("the browser ended", url), "the browser ended");
});

test("a certificate of a development server comes with the command that fetches it", () => {
  const line = withRemedy("the page did not load: net::ERR_CERT_AUTHORITY_INVALID", "https://localhost:8443/");
  assert.match(line, /openssl s_client -connect localhost:8443 <\/dev\/null .*--trust server\.pem$/);
});

test("where user namespaces are what a browser lacked to start, doctor is named", () => {
  for (const message of [
    "it ended before it answered: unshare: unshare failed: No space left on device",
    "it ended before it answered: unshare: write failed /proc/self/uid_map: Operation not permitted",
    "it ended before it answered: [1:1:FATAL] No usable sandbox! Update your kernel",
  ])
    assert.match(startRemedy(message), /: user namespaces are not allowed here, `trilane doctor` names the remedy$/);
  assert.equal(startRemedy("it did not answer within 9 ms"), "it did not answer within 9 ms");
});
