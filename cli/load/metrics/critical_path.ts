// The page load time split into network and no request (in data: computation, which most of it is), along the critical path: from the load event back to the navigation,
// each time to what ended last of all that it may have waited for. In the spirit of WProf (Wang et al., NSDI 2013), which
// Das (2014) left to be done. Pure.
//
// It differs from WProf in what it knows. WProf was built into the browser and saw every parse and evaluation; here are
// requests, their initiators, and the main thread's long tasks (50 ms and more), which cost a load next to nothing to tell. So:
// - Time on the path without a request on it is reported as no request, whatever the browser did then: parsing, scripts, layout, waiting
//   for a timer, its own start.
// - A response that is still coming when something in it asks for more is followed up to that moment; the parser's own share of
//   it is not known, and counts as network.
// - Where a request waited after its initiator had arrived, the last stylesheet or script to arrive in between is taken to have
//   held it up (for what a script requested, responses to scripts too); it may have been chance.
// - Where requests and a long task overlap, the one that ended last is on the path. A task is led back to what ended just
//   before it; where nothing did, the path follows what was still being received when the task began, as a document that
//   streams: the time up to there was spent waiting for it.
// - A server's think time is in `wait`, the browser's own queues are in `queueing` and `blocked`: all three count as network.
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import { causesOf, delaysLoadEvent, type Fetch, fetchesOf, isOnTheLink } from "./dependencies.ts";

type NetworkPhase = "queueing" | "blocked" | "dns" | "connect" | "tls" | "send" | "wait" | "receive";

/** A part of the path, in ms since navigationStart. */
export interface Segment {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly activity: NetworkPhase | "computation";
  /** Of the request; null: none was waited for. */
  readonly url: string | null;
}

export interface CriticalPath {
  /** Without gaps from the navigation's start to the end of the load event. */
  readonly segments: readonly Segment[];
  /** The two add up to the page load time. */
  readonly network_ms: number;
  readonly computation_ms: number;
}

interface Task {
  readonly start_ms: number;
  readonly end_ms: number;
}

/** Times of the main thread's tasks and of requests come from different clocks' readings, rounded. */
const sameMoment_ms = 1;

/** Of what the main thread did, only tasks from here on are reported: a shorter pause may be one that is not. */
const longTask_ms = 50;

function phasesOf({ entry }: Fetch): [NetworkPhase, number][] {
  const { blocked, dns, connect, ssl, send, wait, receive, _blocked_queueing } = entry.timings;
  const [queueing_ms, dns_ms, connect_ms, tls_ms] = [_blocked_queueing, dns, connect, ssl].map((ms) =>
    Math.max(0, ms),
  ) as [number, number, number, number];
  return [
    ["queueing", queueing_ms],
    ["blocked", Math.max(0, blocked - queueing_ms)],
    ["dns", dns_ms],
    ["connect", Math.max(0, connect_ms - tls_ms)],
    ["tls", tls_ms],
    ["send", send],
    ["wait", wait],
    ["receive", receive],
  ];
}

/** The request's phases up to `until_ms`, in their order; together as long as [start, until]. */
function fetched(fetch: Fetch, until_ms: number): Segment[] {
  if (!isOnTheLink(fetch)) return computed(fetch.start_ms, until_ms);
  const segments: Segment[] = [];
  let at_ms = fetch.start_ms;
  for (const [activity, length_ms] of phasesOf(fetch)) {
    // Phases add up to the request's time but for rounding: the last one has the rest.
    const to_ms = activity === "receive" ? until_ms : Math.min(until_ms, at_ms + length_ms);
    if (to_ms > at_ms) segments.push({ from_ms: at_ms, to_ms, activity, url: fetch.url });
    at_ms = Math.max(at_ms, to_ms);
  }
  return segments;
}

const computed = (from_ms: number, to_ms: number): Segment[] =>
  to_ms > from_ms ? [{ from_ms, to_ms, activity: "computation", url: null }] : [];

const holding = new Set(["stylesheet", "script"]);
const holdingScripts = new Set([...holding, "xhr", "fetch", "document"]);

/** What may have held up a request after its cause had arrived: of the same document. */
function holdersOf(fetch: Fetch, fetches: readonly Fetch[]): Fetch[] {
  const { _initiator, _trilane } = fetch.entry;
  const types = _initiator.type === "script" ? holdingScripts : holding;
  return fetches.filter(
    ({ entry }) => types.has(entry._resourceType) && entry._trilane.documentUrl === _trilane.documentUrl,
  );
}

const endingLast = (fetches: readonly Fetch[]): Fetch | null =>
  fetches.reduce<Fetch | null>((last, each) => (last === null || each.end_ms >= last.end_ms ? each : last), null);

const lastEnded = (fetches: readonly Fetch[], from_ms: number, to_ms: number): Fetch | null =>
  endingLast(fetches.filter(({ start_ms, end_ms }) => end_ms > from_ms && end_ms <= to_ms && start_ms < to_ms));

const lastUnderWay = (fetches: readonly Fetch[], at_ms: number): Fetch | null =>
  endingLast(fetches.filter(({ start_ms, end_ms }) => start_ms < at_ms && end_ms > at_ms));

/** The task that ended, or was still running, last before `to_ms`. */
function lastTask(tasks: readonly Task[], from_ms: number, to_ms: number): Task | null {
  const within = tasks.filter(({ start_ms, end_ms }) => start_ms < to_ms && end_ms > from_ms);
  return within.reduce<Task | null>(
    (last, each) => (last === null || each.start_ms > last.start_ms ? each : last),
    null,
  );
}

/** What was waited for, and until when: its end, or the moment when a task had enough of it. */
interface Wait {
  readonly fetch: Fetch;
  readonly until_ms: number;
}

/** From `to_ms` back to what was waited for last; from there on was computed. Null: nothing after `from_ms`. */
function back(waitedFor: readonly Fetch[], tasks: readonly Task[], from_ms: number, to_ms: number): Wait | null {
  let at_ms = to_ms;
  for (;;) {
    const fetch = lastEnded(waitedFor, from_ms, at_ms);
    const task = lastTask(tasks, Math.max(from_ms, (fetch?.end_ms ?? from_ms) + sameMoment_ms), at_ms);
    const ended_ms = Math.min(at_ms, task?.end_ms ?? fetch?.end_ms ?? from_ms);
    const isTasksStart = at_ms < to_ms;
    const underWay = isTasksStart && at_ms - ended_ms > longTask_ms ? lastUnderWay(waitedFor, at_ms) : null;
    if (underWay) return { fetch: underWay, until_ms: at_ms };
    if (!task) return fetch && { fetch, until_ms: fetch.end_ms };
    if (task.start_ms <= from_ms) return null;
    at_ms = task.start_ms;
  }
}

/** The main thread's long tasks. What it did before there was a page, the page did not wait for. */
function tasksOf({ log }: PageLoad, fetches: readonly Fetch[]): Task[] {
  const page = fetches.find(({ entry }) => entry._resourceType === "document");
  const first_ms = page?.response_ms ?? 0;
  return (log._trilane.long_tasks ?? []).flatMap(({ start_ms, duration_ms }) => {
    const task = { start_ms: Math.max(first_ms, start_ms), end_ms: start_ms + duration_ms };
    return task.end_ms > task.start_ms ? [task] : [];
  });
}

/** Null where the load has no page load time, or reports no request. */
export function criticalPath(load: PageLoad): CriticalPath | null {
  const { plt_ms } = load.log._trilane.metrics;
  const fetches = fetchesOf(load);
  if (plt_ms === null || fetches.length === 0) return null;
  const causes = causesOf(fetches);
  const tasks = tasksOf(load, fetches);
  // From the end to the beginning.
  const path: Segment[] = [];
  const add = (segments: readonly Segment[]) => path.push(...segments.toReversed());
  let at_ms = plt_ms;
  let next = waitBeforeLoadEvent(fetches.filter(delaysLoadEvent));
  while (next) {
    const { fetch, until_ms }: Wait = next;
    add(computed(until_ms, at_ms));
    add(fetched(fetch, until_ms));
    at_ms = Math.min(at_ms, fetch.start_ms);
    next = waitBefore(fetch, at_ms);
  }
  add(computed(0, at_ms));
  const segments = path.reverse();
  const sum = (of: (segment: Segment) => boolean) =>
    segments.filter(of).reduce((total, { from_ms, to_ms }) => total + to_ms - from_ms, 0);
  const computation_ms = sum(({ activity }) => activity === "computation");
  return { segments, computation_ms, network_ms: plt_ms - computation_ms };

  function waitBeforeLoadEvent(waitedFor: readonly Fetch[]): Wait | null {
    // By another clock's reading the last byte may come just after the load event.
    const justAfter = waitedFor.filter(({ end_ms }) => end_ms <= at_ms + sameMoment_ms);
    const wait = lastUnderWay(justAfter, at_ms) ? null : back(waitedFor, tasks, 0, at_ms);
    if (wait) return wait;
    const fetch = lastUnderWay(waitedFor, at_ms);
    return fetch && { fetch, until_ms: at_ms };
  }

  function waitBefore(fetch: Fetch, started_ms: number): Wait | null {
    const cause = causes.get(fetch);
    if (!cause) return null;
    if (cause.end_ms > started_ms) return { fetch: cause, until_ms: started_ms };
    const holders = holdersOf(fetch, fetches).filter((each) => each !== fetch && each.start_ms < started_ms);
    return back(holders, tasks, cause.end_ms, started_ms) ?? { fetch: cause, until_ms: cause.end_ms };
  }
}
