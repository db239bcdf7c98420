// Which requests a moving link lost, of made page loads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lostToMoves } from "../../../cli/load/validity.ts";
import type { ShaperReport } from "../../../schemas/generated/shaper_report.ts";
import { entry, imageUrl, shaperReport } from "./fixtures.ts";

const failed = (error: string | null) => entry(imageUrl, { response: { _error: error } });
const end_ns = failed(null)._trilane.end_ns ?? 0;

const movedAt = (at_ns: number): ShaperReport => ({
  ...shaperReport(),
  moves: { count: 1, list: [{ at_ns, kind: "port" }], renewed_bindings: 1, bindings: [] },
});

const lost = (error: string | null, shaper: ShaperReport | null = movedAt(end_ns - 1)): number =>
  lostToMoves([failed(error)], shaper).length;

test("requests on connections that died after the link moved are lost to it, sent or not", () => {
  for (const how of ["CONNECTION_RESET", "CONNECTION_CLOSED", "SOCKET_NOT_CONNECTED", "HTTP2_PING_FAILED", "TIMED_OUT"])
    assert.equal(lost(`net::ERR_${how}`), 1, how);
});

test("what was answered, refused, or failed for another reason is not; nor what failed before, or where nothing moved", () => {
  for (const error of [null, "net::ERR_NAME_NOT_RESOLVED", "net::ERR_CERT_INVALID", "net::ERR_ABORTED"])
    assert.equal(lost(error), 0, String(error));
  assert.equal(lost("net::ERR_CONNECTION_RESET", movedAt(end_ns + 1)), 0);
  assert.equal(lost("net::ERR_CONNECTION_RESET", shaperReport()), 0);
  assert.equal(lost("net::ERR_CONNECTION_RESET", null), 0);
});
