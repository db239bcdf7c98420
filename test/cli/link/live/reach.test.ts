// How near a page may come, by its URL: the address sorts are trilane-guard's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reachOf } from "../../../../cli/link/live/reach.ts";

const nobody = async (): Promise<string[]> => {
  throw new Error("asked");
};
const at =
  (...addresses: string[]) =>
  async () =>
    addresses;

test("a public page reaches what is public, also where its host is not found", async () => {
  const everywhere = { nearest: "public", pinned: null };
  for (const url of ["https://93.184.216.34/", "https://[2606:2800:220:1::1]/"])
    assert.deepEqual(await reachOf(url, [], nobody), everywhere, url);
  assert.deepEqual(await reachOf("https://shop.example/", [], nobody), everywhere);
  assert.deepEqual(await reachOf("https://shop.example/", [], at("93.184.216.34")), everywhere);
});

test("a name with a public address among private ones is public", async () => {
  for (const addresses of [
    ["10.0.0.1", "93.184.216.34"],
    ["93.184.216.34", "127.0.0.1"],
  ])
    assert.equal((await reachOf("https://hostile.example/", [], at(...addresses))).nearest, "public");
});

test("a page on a private address reaches its own network, and its name stays there", async () => {
  const staging = { host: "wiki.corp", address: "10.1.2.3" };
  assert.deepEqual(await reachOf("http://wiki.corp/", [], at("10.1.2.3")), { nearest: "local", pinned: staging });
  assert.deepEqual(await reachOf("http://wiki.corp/", [staging], nobody), { nearest: "local", pinned: null });
  const any = { host: "*.corp", address: "127.0.0.1" };
  assert.deepEqual(await reachOf("http://Wiki.corp/", [any], nobody), { nearest: "loopback", pinned: null });
  assert.equal((await reachOf("http://corp/", [any], nobody)).nearest, "public");
});

for (const [host, nearest] of [
  ["127.0.0.1", "loopback"],
  ["0.0.0.0", "loopback"],
  ["[::1]", "loopback"],
  ["[::]", "loopback"],
  ["[::ffff:127.0.0.1]", "loopback"],
  ["[::ffff:192.168.1.1]", "local"],
  ["[64:ff9b::10.0.0.1]", "local"],
  ["[2002:c0a8:101::1]", "local"],
  ["[fe80::1]", "local"],
  ["[fd00::1]", "local"],
  ["10.255.255.255", "local"],
  ["11.0.0.0", "public"],
  ["172.15.255.255", "public"],
  ["172.31.0.1", "local"],
  ["172.32.0.0", "public"],
  ["100.63.255.255", "public"],
  ["100.64.0.1", "local"],
  ["169.254.169.254", "local"],
  ["192.168.0.1", "local"],
  ["192.169.0.0", "public"],
  ["224.0.0.251", "local"],
  ["255.255.255.255", "local"],
  ["2130706433", "loopback"],
  ["localhost", "loopback"],
  ["a.localhost", "loopback"],
  ["[2606:4700::1111]", "public"],
  ["[::ffff:8.8.8.8]", "public"],
] as const)
  test(`${host} is ${nearest}`, async () => {
    assert.equal((await reachOf(`http://${host}/`, [], nobody)).nearest, nearest);
  });
