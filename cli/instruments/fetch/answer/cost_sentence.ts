// What fetches cost the client, in sentences: CPU time for each MB on each link, and the system calls that took most of it, over each thing
// that they were fetched over. Pure; text out.
import { type Fetched, variantKey, variantName, variantsOf } from "../metrics/fetched.ts";
import { countedCalls } from "./call_shares.ts";
import { summarizeQuantity } from "./quantity_summary.ts";

const number = (value: number): string => String(Number(value.toPrecision(3)));

/** ` on 50mbit/20ms`, where there are several. */
const onLink = (link: string | null, links: ReadonlySet<string | null>): string =>
  links.size > 1 && link !== null ? ` on ${link}` : "";

/** Of one link. Null: no body is large enough to say. */
function costSentence(own: readonly Fetched[], on: string): string | null {
  const variants = variantsOf(own);
  const mentioned = variants.flatMap((variant) => {
    const { median, interval } = summarizeQuantity(
      own.filter((each) => variantKey(each) === variantKey(variant)),
      "client_cpu_per_mb_ms",
    );
    return median === null ? [] : [{ name: variantName(variant, variants), median, interval }];
  });
  if (mentioned.length === 0) return null;
  const costs = mentioned
    .toSorted((a, b) => a.median - b.median)
    .map(({ name, median, interval }, index) => {
      const range = interval
        ? ` (${index === 0 ? "95 %: " : ""}${number(interval.low)} to ${number(interval.high)})`
        : "";
      return `${number(median)} ms over ${name}${range}`;
    });
  const [first, ...others] = costs;
  const list = others.length === 0 ? first : `${[first, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`;
  return `Client CPU time per MB${on}: ${list}.`;
}

/** Of more links only the table shows. */
const mostLinks = 5;

/** Of one version of IP: the table has both. Empty: no body is large enough to say. */
export function costSentences(timed: readonly Fetched[]): string[] {
  const ip = timed.some((each) => each.ip === 4) ? 4 : 6;
  const byLink = Map.groupBy(
    timed.filter((each) => each.ip === ip),
    ({ link }) => link,
  );
  const links = new Set(byLink.keys());
  return [...byLink].slice(0, mostLinks).flatMap(([link, own]) => costSentence(own, onLink(link, links)) ?? []);
}

/** Of more only the tables tell. */
const mostCalls = 4;

/** `System calls of the client over h3: recvmmsg 44 %, sendmsg 26 % of the time in the kernel.`; empty where none were counted. */
export function callSentences(counted: readonly Fetched[]): string[] {
  const all = countedCalls(counted);
  const clients = all.filter(({ end, seconds }) => end === "client" && seconds > 0);
  const variants = clients.map(({ variant }) => variant);
  const links = new Set(clients.map(({ link }) => link));
  const ofClients = clients.map(({ variant, link, calls }) => {
    const shares = calls.slice(0, mostCalls).map(({ name, share }) => `${name} ${Math.round(share * 100)} %`);
    return `System calls of the client over ${variantName(variant, variants)}${onLink(link, links)}: ${shares.join(", ")} of the time in the kernel.`;
  });
  const sent = all.flatMap(({ variant, link, packetsForCall: packets }) =>
    packets === null ? [] : [`${number(packets)} over ${variantName(variant, variants)}${onLink(link, links)}`],
  );
  return sent.length === 0
    ? ofClients
    : [...ofClients, `Packets for each call of the server that sends: ${sent.join(", ")}.`];
}
