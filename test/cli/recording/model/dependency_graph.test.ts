// The dependency graph: who asked for what, and how long computation took, from initiators, Referer and timing; and whatever
// a file claims, a tree, in a time that grows with the requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type DependencyGraph,
  dependencyGraph,
  type GraphNode,
} from "../../../../cli/recording/model/dependency_graph.ts";
import type { ModelRequest } from "../../../../cli/recording/model/model_request.ts";
import { growth } from "../../../growth.ts";

const site = "https://site.example";

let made = 0;
function request(path: string, given: Partial<ModelRequest> & { took_ms?: number } = {}): ModelRequest {
  const { took_ms = 10, ...rest } = given;
  return {
    index: made++,
    url: path.startsWith("http") ? path : `${site}${path}`,
    method: "GET",
    status: 200,
    kind: "image",
    sent_ms: 0,
    untilFirstByte_ms: took_ms / 2,
    untilEnd_ms: took_ms,
    initiator: null,
    documentUrl: null,
    referer: `${site}/`,
    priority: null,
    location: null,
    ...rest,
  };
}

const byScript = (url: string, ...more: string[]): Pick<ModelRequest, "initiator"> => ({
  initiator: { type: "script", urls: [url, ...more].map((each) => `${site}${each}`), line: 1 },
});
const byParser = (url: string, line = 1): Pick<ModelRequest, "initiator"> => ({
  initiator: { type: "parser", urls: [`${site}${url}`], line },
});

function graphOf(requests: readonly ModelRequest[], load_ms: number | null = null): DependencyGraph {
  return dependencyGraph(requests, `${site}/`, load_ms);
}

function nodeOf({ nodes }: DependencyGraph, path: string): GraphNode & { parentUrl: string | null } {
  const url = path.startsWith("http") ? path : `${site}${path}`;
  const node = nodes.find((each) => each.request.url === url);
  assert.ok(node, path);
  return { ...node, parentUrl: node.parent === null ? null : (nodes[node.parent]?.request.url ?? "") };
}

const page = request("/", { kind: "document", took_ms: 40, referer: null });

test("a parser's finds, a stylesheet's font and a script's image, by their initiators", () => {
  const graph = graphOf([
    page,
    request("/a.css", { kind: "stylesheet", sent_ms: 30, ...byParser("/") }),
    request("/a.js", { kind: "script", sent_ms: 30, took_ms: 70, ...byParser("/") }),
    request("/f.woff2", { kind: "font", sent_ms: 60, ...byParser("/a.css") }),
    request("/i.png", { sent_ms: 250, ...byScript("/a.js") }),
  ]);
  assert.equal(nodeOf(graph, "/a.css").dependence, "parser");
  assert.equal(nodeOf(graph, "/f.woff2").dependence, "stylesheet");
  assert.equal(nodeOf(graph, "/f.woff2").parentUrl, `${site}/a.css`);
  const image = nodeOf(graph, "/i.png");
  assert.deepEqual([image.dependence, image.parentUrl, image.wait_ms], ["script", `${site}/a.js`, 150]);
  assert.equal(image.knownBy, "initiator");
});

test("waiting for the scripts before it is no computation of a blocking script's", () => {
  const scripts = (priority: string) =>
    graphOf([
      page,
      request("/slow.js", { kind: "script", sent_ms: 30, took_ms: 500, ...byParser("/"), priority: "high" }),
      request("/fast.js", { kind: "script", sent_ms: 31, took_ms: 20, ...byParser("/"), priority }),
      request("/i.png", { sent_ms: 580, ...byScript("/fast.js") }),
    ]);
  assert.equal(nodeOf(scripts("high"), "/i.png").wait_ms, 50);
  assert.equal(nodeOf(scripts("low"), "/i.png").wait_ms, 529);
});

test("an inline script stands behind the last gate that had been passed", () => {
  const graph = graphOf([
    page,
    request("/a.css", { kind: "stylesheet", sent_ms: 30, took_ms: 70, ...byParser("/") }),
    request("/b.js", { kind: "script", sent_ms: 30, took_ms: 400, ...byParser("/"), priority: "high" }),
    request("/i.png", { sent_ms: 130, ...byScript("/") }),
  ]);
  const image = nodeOf(graph, "/i.png");
  assert.equal(graph.nodes[image.after ?? -1]?.request.url, `${site}/a.css`);
  assert.equal(image.wait_ms, 30);
});

test("of a call stack the script that arrived last before the request is the parent", () => {
  const graph = graphOf([
    page,
    request("/library.js", { kind: "script", sent_ms: 30, took_ms: 10, ...byParser("/") }),
    request("/app.js", { kind: "script", sent_ms: 30, took_ms: 100, ...byParser("/") }),
    request("/i.png", { sent_ms: 140, ...byScript("/library.js", "/app.js") }),
  ]);
  assert.equal(nodeOf(graph, "/i.png").parentUrl, `${site}/app.js`);
});

test("without initiators: Referer names a stylesheet or a frame, timing the rest", () => {
  const graph = graphOf([
    page,
    request("/a.js", { kind: "script", sent_ms: 30, took_ms: 100 }),
    request("/frame", { kind: "document", sent_ms: 35, took_ms: 100 }),
    request("/a.css", { kind: "stylesheet", sent_ms: 36, took_ms: 100 }),
    request("/in-frame.png", { sent_ms: 150, referer: `${site}/frame` }),
    request("/bg.png", { sent_ms: 150, referer: `${site}/a.css` }),
    request("/late.png", { sent_ms: 300 }),
  ]);
  assert.equal(nodeOf(graph, "/a.js").dependence, "parser");
  assert.equal(nodeOf(graph, "/in-frame.png").parentUrl, `${site}/frame`);
  assert.equal(nodeOf(graph, "/bg.png").knownBy, "referer");
  const late = nodeOf(graph, "/late.png");
  assert.deepEqual([late.parentUrl, late.wait_ms, late.knownBy], [`${site}/a.js`, 170, "timing"]);
});

test("what a script asked for right after data came waited for the data", () => {
  const graph = graphOf([
    page,
    request("/a.js", { kind: "script", sent_ms: 30, took_ms: 20, ...byParser("/") }),
    request("/data.json", { kind: "data", sent_ms: 60, took_ms: 300, ...byScript("/a.js") }),
    request("/i.png", { sent_ms: 365, ...byScript("/a.js") }),
  ]);
  const image = nodeOf(graph, "/i.png");
  assert.deepEqual([image.dependence, image.parentUrl, image.wait_ms], ["response", `${site}/data.json`, 5]);
});

test("a loader that names itself for all it loads waited for what it had loaded last", () => {
  const graph = graphOf([
    page,
    request("/loader.js", { kind: "script", sent_ms: 30, took_ms: 20, ...byParser("/") }),
    request("/1.js", { kind: "script", sent_ms: 60, took_ms: 300, ...byScript("/loader.js") }),
    request("/2.js", { kind: "script", sent_ms: 400, took_ms: 300, ...byScript("/loader.js") }),
    request("/i.png", { sent_ms: 800, ...byScript("/loader.js") }),
  ]);
  const last = nodeOf(graph, "/2.js");
  assert.deepEqual([last.parentUrl, last.wait_ms], [`${site}/1.js`, 40]);
  const image = nodeOf(graph, "/i.png");
  assert.deepEqual([image.parentUrl, image.wait_ms], [`${site}/2.js`, 100]);
});

test("redirects lead on, to another host too, and have the kind of their end", () => {
  const start = request("http://old.example/", {
    kind: "document",
    status: 301,
    location: `${site}/`,
    referer: null,
    sent_ms: -40,
  });
  const graph = dependencyGraph(
    [
      start,
      page,
      request("/r", { kind: "data", status: 302, location: `${site}/i.png`, sent_ms: 30, ...byParser("/") }),
      request("/i.png", { sent_ms: 45, ...byParser("/") }),
    ],
    "http://old.example/",
    null,
  );
  assert.equal(graph.nodes[graph.root]?.request.url, `${site}/`);
  assert.equal(nodeOf(graph, "/").dependence, "redirect");
  assert.equal(nodeOf(graph, "/r").kind, "image");
  assert.equal(nodeOf(graph, "/r").dependence, "parser");
  assert.equal(nodeOf(graph, "/i.png").dependence, "redirect");
});

test("a preflight goes before what it was for, in whichever order they were recorded", () => {
  for (const late of [0, 1]) {
    const api = "https://api.example/x";
    const graph = graphOf([
      page,
      request("/a.js", { kind: "script", sent_ms: 30, ...byParser("/") }),
      request(api, { kind: "preflight", method: "OPTIONS", sent_ms: 50 + late, ...byScript("/a.js") }),
      request(api, { kind: "data", method: "PUT", sent_ms: 51 - late, ...byScript("/a.js") }),
    ]);
    const put = graph.nodes.find(({ request: { method } }) => method === "PUT");
    const options = graph.nodes.find(({ request: { method } }) => method === "OPTIONS");
    assert.equal(put?.dependence, "preflight");
    assert.equal(graph.nodes[put?.parent ?? -1], options);
    assert.equal(options?.dependence, "script");
  }
});

test("what came after the load event depends on it, and the last arrival's computation holds it", () => {
  const graph = graphOf(
    [
      page,
      request("/a.js", { kind: "script", sent_ms: 30, took_ms: 70, ...byParser("/") }),
      request("/late.png", { sent_ms: 450, ...byScript("/a.js") }),
    ],
    400,
  );
  const late = nodeOf(graph, "/late.png");
  assert.deepEqual([late.dependence, late.wait_ms, late.isAfterLoad], ["load", 50, true]);
  assert.deepEqual(graph.tail, { node: 1, wait_ms: 300 });
});

function mustBeTree({ nodes }: DependencyGraph): void {
  for (const [place, node] of nodes.entries()) {
    const seen = new Set([place]);
    for (let at = node.parent; at !== null; at = nodes[at]?.parent ?? null) {
      assert.ok(!seen.has(at), `cycle through node ${at}`);
      seen.add(at);
    }
    assert.ok(node.wait_ms >= 0 && node.wait_ms <= 5000, `wait of ${node.wait_ms}`);
    assert.ok(node.sent_ms <= node.firstByte_ms && node.firstByte_ms <= node.end_ms);
  }
}

test("cycles, impossible and missing times still give a tree with times that can be", () => {
  mustBeTree(
    graphOf([
      page,
      request("/a.js", { kind: "script", sent_ms: -5000, ...byScript("/b.js") }),
      request("/b.js", { kind: "script", sent_ms: null, ...byScript("/a.js") }),
      request("/self.js", { kind: "script", sent_ms: Number.NaN, ...byScript("/self.js") }),
      request("/far.png", { sent_ms: 1e12, ...byScript("/a.js") }),
      request("/loop", { status: 302, location: `${site}/loop`, sent_ms: 5 }),
      request("/loop", { status: 302, location: `${site}/loop`, sent_ms: 5 }),
    ]),
  );
  mustBeTree(graphOf([request("/only.png", { sent_ms: null })]));
});

function manyRequests(count: number): ModelRequest[] {
  const requests = [page];
  for (let at = 0; at < count; at++) {
    const asker = at % 3 === 0 ? byParser("/") : at % 3 === 1 ? byScript(`/s${at - 1}`, "/s0") : {};
    const kind = at % 3 === 0 ? "script" : at % 5 === 0 ? "data" : "image";
    // A thousand of one URL that redirect to it, as a page that reloads itself does.
    const isLoop = at % 5 === 4;
    requests.push(
      request(isLoop ? "/again" : `/s${at}`, {
        ...{ kind, sent_ms: 30 + at, took_ms: at % 700, ...asker },
        ...(isLoop ? { status: 302, location: `${site}/again` } : {}),
      }),
    );
  }
  return requests;
}

test("8 times as many requests take about 8 times as much computing, and make a tree", async () => {
  const [few, many] = [manyRequests(1000), manyRequests(8000)];
  const graph = graphOf(many, 4000);
  assert.equal(graph.nodes.length, many.length);
  mustBeTree(graph);
  // Each with each is 64 times as much.
  const grown = await growth(
    () => graphOf(few, 4000),
    () => graphOf(many, 4000),
  );
  assert.ok(grown < 30, `${grown} times as much`);
});
