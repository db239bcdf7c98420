// What becomes of the tab's main document during one load: whether it came, loaded, was replaced, stopped or failed, and
// whether that ends the load. Takes DevTools events of the page's own target; sends nothing.
//
// A document that sends the browser on by itself before its load event (meta refresh, a script) is a redirect in all but
// name, and the load continues with the next one. Any other navigation is the user's, and ends it.
import type { ProfileFacts } from "../../schemas/generated/profile.ts";

export type Ended = NonNullable<ProfileFacts["ended"]>;

interface Requested {
  requestId: string;
  loaderId: string;
  frameId?: string;
  request: { url: string };
  redirectResponse?: unknown;
}

// Longer than the browser takes to show an error page or the next document's beginning.
const afterStop_ms = 1000;
const byThePage = new Set(["httpHeaderRefresh", "metaTagRefresh", "scriptInitiated", "reload"]);

export class MainDocument {
  mainFrame = "";
  /** No more is taken. */
  over = false;
  isLoaded = false;
  /** URL of the document that is shown; null: none came yet. */
  shown: string | null = null;
  /** net::ERR_... where the browser shows an error page instead. */
  failure: string | null = null;
  /** How many documents sent the browser on by themselves. */
  sentOn = 0;
  /** Dialogs that the page opened. */
  dialogs = 0;
  download = false;
  readonly whenLoaded: Promise<void>;
  readonly #end: (why: Ended) => void;
  readonly #setLoaded: () => void;
  #loader: string | null = null;
  #pageAsksFor: string | null = null;
  #error: string | null = null;
  #changes = 0;

  constructor(end: (why: Ended) => void) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.whenLoaded = promise;
    this.#setLoaded = resolve;
    this.#end = (why) => {
      this.over = true;
      end(why);
    };
  }

  /** Of every Network.requestWillBeSent; `type`: its resource type. */
  requested({ requestId, loaderId, frameId, redirectResponse }: Requested, type: string | undefined): void {
    const isMain = type === "Document" && frameId === this.mainFrame && requestId === loaderId;
    if (!isMain || redirectResponse !== undefined || loaderId === this.#loader) return;
    this.#changes++;
    const first = this.#loader === null;
    if (!first && (this.isLoaded || this.#pageAsksFor === null)) {
      this.#end("navigated");
      return;
    }
    if (!first) this.sentOn++;
    this.#pageAsksFor = null;
    this.#error = null;
    this.#loader = loaderId;
  }

  loaded(): void {
    this.isLoaded = true;
    this.#setLoaded();
  }

  event(method: string, params: object): void {
    switch (method) {
      case "Page.frameNavigated": {
        const { frame } = params as { frame: { id: string; url: string; unreachableUrl?: string } };
        if (frame.id !== this.mainFrame) return;
        this.#changes++;
        this.shown = frame.unreachableUrl ?? frame.url;
        this.failure = frame.unreachableUrl === undefined ? null : (this.#error ?? "net::ERR_FAILED");
        return;
      }
      case "Page.frameRequestedNavigation": {
        const { frameId, reason, url } = params as { frameId: string; reason: string; url: string };
        if (frameId === this.mainFrame) this.#pageAsksFor = byThePage.has(reason) ? url : null;
        return;
      }
      case "Network.loadingFailed": {
        const { requestId, errorText } = params as { requestId: string; errorText: string };
        if (requestId !== this.#loader) return;
        this.#error = errorText;
        this.#endUnlessGoingOn();
        return;
      }
      case "Page.frameStoppedLoading":
        if ((params as { frameId: string }).frameId === this.mainFrame && this.shown !== null) this.#endUnlessGoingOn();
        return;
      case "Page.frameStartedLoading":
        if ((params as { frameId: string }).frameId === this.mainFrame) this.#changes++;
        return;
      case "Page.downloadWillBegin":
        if ((params as { frameId: string }).frameId === this.mainFrame) this.download = true;
        return;
      case "Page.javascriptDialogOpening":
        this.dialogs++;
        return;
      case "Page.javascriptDialogClosed":
        // The user chose to stay: there will be no load.
        if ((params as { result: boolean }).result === false && this.#loader === null) this.#end("canceled");
        return;
      case "Inspector.targetCrashed":
        this.#end("crashed");
        return;
    }
  }

  /** The load stopped: it has loaded, it fails, or the browser is about to show something else. */
  #endUnlessGoingOn(): void {
    const changes = this.#changes;
    setTimeout(() => {
      if (this.isLoaded || this.over || this.#changes !== changes) return;
      this.#end(this.download ? "download" : this.shown === null ? "quiet" : "canceled");
    }, afterStop_ms);
  }
}
