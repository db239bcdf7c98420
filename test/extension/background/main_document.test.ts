// What becomes of the main document, told by the events as Chromium tells them: what ends a load, and what is still the load.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Ended, MainDocument } from "../../../extension/background/main_document.ts";

interface Watched {
  readonly document: MainDocument;
  readonly ended: Ended[];
  request(loaderId: string, changes?: object): void;
  shown(url: string, unreachableUrl?: string): void;
}

function watched(t: TestContext): Watched {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const ended: Ended[] = [];
  const document = new MainDocument((why) => ended.push(why));
  document.mainFrame = "main";
  return {
    document,
    ended,
    request: (loaderId, changes = {}) =>
      document.requested(
        { requestId: loaderId, loaderId, frameId: "main", request: { url: "https://a.test/" }, ...changes },
        "Document",
      ),
    shown: (url, unreachableUrl) =>
      document.event("Page.frameNavigated", {
        frame: { id: "main", url, ...(unreachableUrl === undefined ? {} : { unreachableUrl }) },
      }),
  };
}

test("a document, its redirects and its frames are one load", (t) => {
  const { document, ended, request, shown } = watched(t);
  request("1");
  request("1", { redirectResponse: {} });
  document.requested({ requestId: "9", loaderId: "9", frameId: "child", request: { url: "x" } }, "Document");
  shown("https://a.test/");
  document.loaded();
  t.mock.timers.tick(10_000);
  assert.deepEqual([ended, document.shown, document.failure], [[], "https://a.test/", null]);
});

test("a document that sends the browser on before it loaded is a redirect; afterwards, or by a link, it is the user", (t) => {
  const on = (reason: string) =>
    ["Page.frameRequestedNavigation", { frameId: "main", reason, url: "https://b.test/" }] as const;
  const first = watched(t);
  first.request("1");
  first.shown("https://a.test/");
  first.document.event(...on("scriptInitiated"));
  first.request("2");
  assert.deepEqual([first.ended, first.document.sentOn], [[], 1]);
  first.document.loaded();
  first.document.event(...on("scriptInitiated"));
  first.request("3");
  assert.deepEqual(first.ended, ["navigated"]);
  for (const reason of ["anchorClick", "formSubmissionPost"]) {
    const { document, ended, request } = watchedAgain(t);
    request("1");
    document.event(...on(reason));
    request("2");
    assert.deepEqual(ended, ["navigated"]);
  }
  const typed = watchedAgain(t);
  typed.request("1");
  typed.request("2");
  assert.deepEqual(typed.ended, ["navigated"]);
});

function watchedAgain(t: TestContext): Watched {
  t.mock.timers.reset();
  return watched(t);
}

test("an error page is shown in its place: that is told, and its load event ends the load", (t) => {
  const { document, ended, request, shown } = watched(t);
  request("1");
  document.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_NAME_NOT_RESOLVED" });
  shown("chrome-error://chromewebdata/", "https://a.test/");
  t.mock.timers.tick(10_000);
  assert.deepEqual([ended, document.failure, document.shown], [[], "net::ERR_NAME_NOT_RESOLVED", "https://a.test/"]);
});

test("no page came: a download, or an answer without one", (t) => {
  const download = watched(t);
  download.request("1");
  download.document.event("Page.downloadWillBegin", { frameId: "main" });
  download.document.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_ABORTED" });
  assert.deepEqual(download.ended, []);
  t.mock.timers.tick(2000);
  assert.deepEqual(download.ended, ["download"]);
  const none = watchedAgain(t);
  none.request("1");
  none.document.event("Network.loadingFailed", { requestId: "1", errorText: "net::ERR_ABORTED" });
  t.mock.timers.tick(2000);
  assert.deepEqual(none.ended, ["quiet"]);
});

test("loading was stopped, the user stayed, the page crashed", (t) => {
  const stopped = watched(t);
  stopped.request("1");
  stopped.shown("https://a.test/");
  stopped.document.event("Page.frameStoppedLoading", { frameId: "main" });
  stopped.document.event("Page.frameStartedLoading", { frameId: "main" });
  t.mock.timers.tick(2000);
  assert.deepEqual(stopped.ended, []);
  stopped.document.event("Page.frameStoppedLoading", { frameId: "main" });
  t.mock.timers.tick(2000);
  assert.deepEqual(stopped.ended, ["canceled"]);
  const stayed = watchedAgain(t);
  stayed.document.event("Page.javascriptDialogOpening", {});
  stayed.document.event("Page.javascriptDialogClosed", { result: false });
  assert.deepEqual([stayed.ended, stayed.document.dialogs], [["canceled"], 1]);
  const crashed = watchedAgain(t);
  crashed.document.event("Inspector.targetCrashed", {});
  assert.deepEqual(crashed.ended, ["crashed"]);
});
