// A link in the words of people: a sentence, and its parts. Its label and its name are trilane-shaper's (link.ts).
import { describeLink, type LinkDirection, type LinkProfile, type LinkQueue, linksInTurn } from "./link.ts";

const plainKeys = /^(down|up|rtt|delay_down|delay_up|queue|queue_down|queue_up|loss|loss_down|loss_up|seed)=/;

/**
 * What there is beyond a constant rate and delay, a drop-tail queue and a share of losses: the settings as they are
 * written, `aqm=codel`. Empty for a plain link.
 */
export function furtherSettings(profile: LinkProfile): string[] {
  const { down, up } = profile;
  const varies = [down, up].some(({ rate_steps, delay_steps, trace }) => rate_steps || delay_steps || trace);
  const [first = "", ...parts] = describeLink(profile).label.split(",");
  const isModel = (part: string): boolean => /^loss(_down|_up)?=[a-z]/.test(part);
  const isWanted = (part: string): boolean => !plainKeys.test(part) || isModel(part);
  if (!varies) return parts.filter(isWanted);
  return [first, ...parts.filter((part) => isWanted(part) || /^(down|up|rtt|delay_down|delay_up)=/.test(part))];
}

const trimmed = (value: number): string => String(Number(value.toPrecision(6)));

function rateText({ rate_bps, rate_steps, trace }: LinkDirection): string {
  const text = rate_bps === null ? "unlimited" : `${trimmed(rate_bps / 1e6)} Mbit/s`;
  if (trace) return `${rate_bps === null ? "a trace's rate" : `${text} in the mean`}`;
  return rate_steps ? `${text} at first` : text;
}

export function lossLabel({ down, up }: LinkProfile): string {
  const [lossDown, lossUp] = [down, up].map(({ loss }) => `${trimmed(loss * 100)} %`);
  return lossDown === lossUp ? `${lossDown}` : `${lossDown} down, ${lossUp} up`;
}

export function queueLabel(queue: LinkQueue): string {
  if ("bdp" in queue) return `${trimmed(queue.bdp)} BDP`;
  if ("packets" in queue) return `${queue.packets} packets`;
  if ("bytes" in queue) return `${trimmed(queue.bytes / 1000)} kB`;
  if ("ms" in queue) return `${trimmed(queue.ms)} ms`;
  return "unlimited";
}

/** Of those that are not called as their word in capitals. */
const disciplineNames: Readonly<Record<string, string>> = {
  droptail: "drop-tail queue",
  drophead: "drop-head queue",
  codel: "CoDel queue",
  fq_codel: "FQ-CoDel queue",
};

/** ` (target 1 ms, interval 20 ms)`; empty where both are the discipline's own. */
function parametersText({
  aqm_target_ms,
  aqm_interval_ms,
}: Pick<LinkDirection, "aqm_target_ms" | "aqm_interval_ms">): string {
  const given = [
    ...(aqm_target_ms === undefined ? [] : [`target ${trimmed(aqm_target_ms)} ms`]),
    ...(aqm_interval_ms === undefined ? [] : [`interval ${trimmed(aqm_interval_ms)} ms`]),
  ];
  return given.length > 0 ? ` (${given.join(", ")})` : "";
}

function queueText({ down, up }: LinkProfile): string {
  const [queueDown, queueUp] = [down, up].map(
    ({ queue, aqm = "droptail", ...given }) =>
      `${disciplineNames[aqm] ?? `${aqm.toUpperCase()} queue`} of ${queueLabel(queue)}${parametersText(given)}`,
  );
  return queueDown === queueUp ? `${queueDown}` : `${queueDown} down, ${queueUp} up`;
}

/** `UDP blocked`; empty where UDP is as any other packets are. */
export function udpText({ udp }: LinkProfile): string {
  if (!udp) return "";
  if ("blocked" in udp) return "UDP blocked";
  if ("rate_bps" in udp) return `UDP policed to ${trimmed(udp.rate_bps / 1e6)} Mbit/s each way`;
  if ("mtu_bytes" in udp) return `UDP packets over ${udp.mtu_bytes} bytes dropped`;
  return `UDP ${trimmed(udp.late_ms)} ms late each way`;
}

/** `new ports every 5 s`; empty where the NAT keeps its bindings. */
function rebindText({ rebind }: LinkProfile): string {
  if (!rebind) return "";
  return `${rebind.change === "port" ? "new ports" : "a new address"} every ${trimmed(rebind.every_ms / 1000)} s`;
}

interface LinkParts {
  readonly plain: string;
  readonly besides: string;
}

/** Rates, round trip, loss and queue, and what there is besides: all that one link may be, without what holds for the run. */
function linkParts(link: LinkProfile): LinkParts {
  const [rateDown, rateUp] = [rateText(link.down), rateText(link.up)];
  const rates = rateDown === rateUp ? `${rateDown} each way` : `${rateDown} down, ${rateUp} up`;
  const further = furtherSettings(link).filter((setting) => !/^(aqm|udp)/.test(setting));
  return {
    plain: `${rates}, RTT ${trimmed(link.rtt_ms)} ms, loss ${lossLabel(link)}, ${queueText(link)}`,
    besides: further.length > 0 ? `; besides ${further.join(", ")}` : "",
  };
}

/** `10 Mbit/s each way, RTT 50 ms, loss 1 %, drop-tail queue of 1 BDP, seed 1`, what there is besides, and how it moves. */
export function linkSentence(profile: LinkProfile): string {
  const [link, next] = linksInTurn(profile);
  const { plain, besides } = linkParts(link);
  const all = [plain, udpText(profile), rebindText(profile), `seed ${profile.seed}`].filter((part) => part !== "");
  return `${all.join(", ")}${besides}${next && profile.switch ? switchText(profile.switch.at_ms, linkParts(next)) : ""}`;
}

function switchText(at_ms: number, { plain, besides }: LinkParts): string {
  return `; from ${trimmed(at_ms / 1000)} s on, with another address: ${plain}${besides}`;
}

/** A link's label where there is little room: `verizon-lte,rtt=30ms` of traces that are one pair. */
export function shortLabel(label: string): string {
  return label.replace(/trace_down=([^,]+)\.down,trace_up=\1\.up/, "$1");
}

/** What a direction of a plain link has; anything else changes over time, or with the packet. */
const plainMembers = new Set(["rate_bps", "delay_ms", "queue", "loss"]);
const isPlain = (direction: LinkDirection): boolean =>
  Object.keys(direction).every((name) => plainMembers.has(name)) &&
  "bdp" in direction.queue &&
  direction.queue.bdp === 1;

/** `3 Mbit/s, 50 ms RTT, 1 % loss` of a link with a rate, a round trip and losses; null: it has more to it, and its label says so. */
export function plainLinkWords({ down, up, rtt_ms, ...more }: LinkProfile): string | null {
  const isOther = Object.keys(more).some((name) => name !== "seed");
  if (isOther || !isPlain(down) || !isPlain(up) || down.rate_bps === null || up.rate_bps === null) return null;
  const rates = [...new Set([down.rate_bps, up.rate_bps])].map((rate_bps) => trimmed(rate_bps / 1e6)).join("/");
  const losses = [...new Set([down.loss, up.loss])].map((loss) => trimmed(loss * 100)).join("/");
  return `${rates} Mbit/s, ${trimmed(rtt_ms)} ms RTT${losses === "0" ? "" : `, ${losses} % loss`}`;
}
