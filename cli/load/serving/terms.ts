// A serving in words, for tables and for the terminal: what is not as it is by default. Pure.
import { type Serving, stockServing } from "./serving.ts";

/** "20 ms", "as recorded", "none". */
function thinkTerm(think: Serving["think"]): string {
  if (typeof think === "object") return `${think.ms} ms`;
  return think === "recorded" ? "as recorded" : "none";
}

function chainTerm(chain: Serving["chain"]): string {
  if (typeof chain === "object") return `${chain.bytes} bytes`;
  return chain === "small" ? "as small as can be" : "as large as recorded, or the Web's median";
}

const originsTerm: Readonly<Record<Serving["origins"], string>> = {
  "as-recorded": "one server for each recorded address",
  merged: "one server for the hosts of one operator",
  single: "one server for all hosts",
};

export const thinkName = "server think time";

/** Each setting of the origins with its value; the transports' are a table of their own. */
export function servingTerms(serving: Serving): [name: string, value: string][] {
  const { origins, think, extra_rtt, chain, priorities, early_hints, tls, pin_time, client_acks, transport } = serving;
  return [
    ["origins", originsTerm[origins]],
    [thinkName, thinkTerm(think)],
    ["extra RTT of far servers", extra_rtt ? "as recorded" : "none"],
    ["certificate chains", chainTerm(chain)],
    ["responses over h2 and h3", priorities === "none" ? "in turns" : "by the browser's priorities (RFC 9218)"],
    ["Early Hints (103)", early_hints === "none" ? "not sent, on any lane" : "sent as recorded, on all lanes"],
    ["TLS over TCP", tls === "both" ? "1.2 and 1.3 offered" : `${tls} only`],
    ["the page's clock and random numbers", pin_time ? "the same in every load" : "as they come"],
    ["the browser's ACKs over QUIC", client_acks === "frequent" ? "held back for 1 ms at most" : "as it sends them"],
    ["transports", transport.preset],
  ];
}

/** What is not as by default, in a line; "" where all is. */
export function servingLine(serving: Serving): string {
  const stock = new Map(servingTerms(stockServing));
  return servingTerms(serving)
    .filter(([name, value]) => stock.get(name) !== value)
    .map(([name, value]) => `${name}: ${value}`)
    .join("; ");
}
