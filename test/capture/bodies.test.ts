// Which bodies are asked for, of requests and responses, and what becomes of those that the browser has dropped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { askBodies, type BodyCommands, hasBodyToAsk } from "../../extension/capture/bodies.ts";
import { captureOf, fixture } from "./fixture.ts";

const capture = captureOf(fixture("h2"));

const gone = (): Promise<never> => Promise.reject(new Error("No resource with given identifier found"));

test("every response that came whole is asked for once; redirects and failures are not", async () => {
  const asked: string[] = [];
  const commands: BodyCommands = {
    responseBody: async (requestId) => {
      asked.push(requestId);
      return { body: "AAE=", base64Encoded: asked.length % 2 === 0 };
    },
    requestBody: gone,
  };
  const { ofResponses, ofRequests } = await askBodies(capture, commands);
  const whole = capture.requests.filter(({ end }) => end?.how === "finished");
  assert.ok(whole.length > 5);
  assert.deepEqual(
    asked,
    whole.map(({ requestId }) => requestId),
  );
  assert.deepEqual([...ofResponses.keys()], whole);
  const [first, second] = [...ofResponses.values()];
  assert.deepEqual([first, second], [{ text: "AAE=" }, { text: "AAE=", encoding: "base64" }]);
  assert.equal(ofRequests.size, 0, "the events told the bodies of the requests");
  for (const request of capture.requests)
    if (request.end?.how === "redirected") assert.equal(hasBodyToAsk(request), false);
});

test("a body that the browser has dropped is left out, the others are told", async () => {
  let calls = 0;
  const { ofResponses } = await askBodies(capture, {
    responseBody: () => (++calls % 2 === 0 ? gone() : Promise.resolve({ body: "x", base64Encoded: false })),
    requestBody: gone,
  });
  assert.equal(ofResponses.size, Math.ceil(calls / 2));
});

test("only what is wanted is asked for; a request's body that was too large for its event is", async () => {
  const large = captureOf(fixture("h2"));
  const post = large.requests.find(({ sent }) => sent.request.method === "POST");
  assert.ok(post);
  delete post.sent.request.postData;
  delete post.sent.request.postDataEntries;
  post.sent.request.hasPostData = true;
  const commands: BodyCommands = { responseBody: gone, requestBody: async () => ({ postData: "the whole" }) };
  const { ofResponses, ofRequests } = await askBodies(large, commands, () => false);
  assert.equal(ofResponses.size, 0);
  assert.deepEqual([...ofRequests], [[post, "the whole"]]);
});
