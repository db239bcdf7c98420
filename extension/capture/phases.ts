// A request's time split into HAR's phases. Pure arithmetic.
//
// Chromium gives points, not phases, and leaves gaps: waiting for a socket between name lookup and connection, or for
// a stream after it. HAR has one name for waiting before the request is sent, `blocked`, so gaps are counted there and
// the phases add up to the request's time exactly.
import type { Protocol } from "devtools-protocol";

export interface Phases {
  blocked: number;
  dns: number;
  connect: number;
  ssl: number;
  send: number;
  wait: number;
  receive: number;
  _blocked_queueing: number;
}

const notApplicable = -1;

/** Phases in ms of a request issued at `issued_s` that ended at `end_s`; `timing` as the response reported it, if it did. */
export function phasesOf(issued_s: number, end_s: number, timing: Protocol.Network.ResourceTiming | undefined): Phases {
  const total_ms = Math.max(0, (end_s - issued_s) * 1000);
  // No timing: it came from memory or never got a response, so all its time was waiting.
  if (!timing) {
    return {
      blocked: total_ms,
      dns: notApplicable,
      connect: notApplicable,
      ssl: notApplicable,
      send: 0,
      wait: 0,
      receive: 0,
      _blocked_queueing: notApplicable,
    };
  }
  const queueing_ms = Math.min(total_ms, Math.max(0, (timing.requestTime - issued_s) * 1000));
  const offset_ms = (timing.requestTime - issued_s) * 1000;
  let cursor_ms = queueing_ms;
  // The part of [start, end] that is not counted yet; -1 where the phase did not happen.
  const advance = (start: number, end: number): number => {
    if (start < 0 || end < 0) return notApplicable;
    const from = Math.min(total_ms, Math.max(cursor_ms, start + offset_ms));
    const to = Math.min(total_ms, Math.max(from, end + offset_ms));
    cursor_ms = to;
    return to - from;
  };
  const dns = advance(timing.dnsStart, timing.dnsEnd);
  const connect = advance(timing.connectStart, timing.connectEnd);
  const ssl =
    connect < 0 || timing.sslStart < 0 || timing.sslEnd < 0
      ? notApplicable
      : Math.min(connect, Math.max(0, timing.sslEnd - timing.sslStart));
  const send = Math.max(0, advance(timing.sendStart, timing.sendEnd));
  const wait = Math.max(0, advance(timing.sendEnd, timing.receiveHeadersEnd));
  const receive = Math.max(0, total_ms - cursor_ms);
  const counted = Math.max(0, dns) + Math.max(0, connect) + send + wait + receive;
  return {
    blocked: Math.max(0, total_ms - counted),
    dns,
    connect,
    ssl,
    send,
    wait,
    receive,
    _blocked_queueing: queueing_ms,
  };
}
