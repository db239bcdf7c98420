// Under which URL each lane asks for what was recorded over http://.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allLanes } from "../../../cli/base/lanes.ts";
import { laneOriginOptions, upgradesClearOrigins, urlOnLane } from "../../../cli/load/lane_origins.ts";

test("the lane h1 leaves http:// as it is, all others upgrade it", () => {
  assert.deepEqual(
    allLanes.filter((lane) => !upgradesClearOrigins(lane)),
    ["h1"],
  );
  assert.equal(urlOnLane("http://a.test/x?y", "h1"), "http://a.test/x?y");
  assert.deepEqual(laneOriginOptions("h1"), []);
  assert.deepEqual(laneOriginOptions("h3"), ["--http-origins", "upgraded"]);
});

test("an upgraded URL keeps its host, path and port, but for the default port", () => {
  const upgraded = (url: string) => urlOnLane(url, "h2");
  assert.equal(upgraded("http://a.test/x?y#z"), "https://a.test/x?y#z");
  assert.equal(upgraded("http://a.test:80/"), "https://a.test/");
  assert.equal(upgraded("http://a.test:8080/"), "https://a.test:8080/");
  assert.equal(upgraded("http://[2001:db8::1]/"), "https://[2001:db8::1]/");
  assert.equal(upgraded("https://a.test:8443/"), "https://a.test:8443/");
  assert.equal(upgraded("about:blank"), "about:blank");
});
