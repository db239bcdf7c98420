// Messages of a browser that wait until a load has ended: in their order, and none is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HeldMessages } from "../../../cli/browser/pipe_program.ts";

const network = (number: number): string => `{"method":"Network.dataReceived","params":{"number":${number},"é":"🎞"}}`;
const page = '{"method":"Page.loadEventFired","params":{"method":"Network."}}';
const answer = '{"id":7,"result":{}}';

function taken(): { readonly got: string[]; readonly held: HeldMessages; readonly take: (text: string) => void } {
  const got: string[] = [];
  const held = new HeldMessages((message) => got.push(message), '{"method":"Network.');
  return { got, held, take: (text) => held.take(Buffer.from(text)) };
}

test("unless asked nothing waits", () => {
  const { got, take } = taken();
  take(network(1));
  take(page);
  assert.deepEqual(got, [network(1), page]);
});

test("the network's wait for the next other one, and for the end", () => {
  const { got, held, take } = taken();
  held.hold();
  take(network(1));
  take(network(2));
  assert.deepEqual(got, []);
  take(page);
  assert.deepEqual(got, [network(1), network(2), page]);
  take(answer);
  assert.equal(got.at(-1), answer);
  take(network(3));
  assert.equal(got.length, 4);
  held.release();
  assert.equal(got.at(-1), network(3));
  take(network(4));
  assert.equal(got.at(-1), network(4));
  held.release();
  assert.equal(got.length, 6, "each once");
});
