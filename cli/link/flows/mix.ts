// Flows that run together: read from the words of each, held to what a run can have. Plans and `--cross-traffic` read mixes here.
import type { Flow } from "../../../schemas/generated/flow.ts";
import type { LinkProfile } from "../../../schemas/generated/link_profile.ts";
import { UserError } from "../../base/errors.ts";
import { formatFlow, formatTime_ms, mostFlows, parseFlow } from "./flow_words.ts";

/** Of all flows, each counted as often as it runs. */
export function countFlows(flows: readonly Flow[]): number {
  return flows.reduce((sum, { count }) => sum + count, 0);
}

function refuseBeyond(flow: Flow, for_s: number): void {
  const words = formatFlow(flow);
  const end = formatTime_ms(Math.round(for_s * 1000));
  if (flow.start_s >= for_s)
    throw new UserError(`flow ${words} starts when the run has ended, at ${end}: start it earlier, or run for longer`);
  if (flow.for_s !== null && flow.start_s + flow.for_s > for_s + 1e-9)
    throw new UserError(
      `flow ${words} lasts beyond the run's end, at ${end}: leave for= out to have it run to the end, or run for longer`,
    );
  if (flow.migrate_s !== undefined) refuseMoves(flow.migrate_s, flow.for_s ?? for_s - flow.start_s, words);
}

/** Each move takes a connection ID of either end, of which there are 512 (native-host/quic_io/quiche_paths.h). */
const mostMoves = 500;

function refuseMoves(migrate_s: number, sends_s: number, words: string): void {
  if (migrate_s >= sends_s)
    throw new UserError(`flow ${words} ends before it first moves: move earlier, or run for longer`);
  if (sends_s / migrate_s > mostMoves)
    throw new UserError(
      `flow ${words} moves ${Math.floor(sends_s / migrate_s)} times: at most ${mostMoves}: move less often`,
    );
}

/** A move takes one round trip until it is made, and two and more until what was under way before has come or is lost. */
const roundTripsOfMove = 4;

/** UserError for a flow that would move again before it has left its path on one of these links. */
export function refuseRestless(
  flows: readonly Flow[],
  links: readonly { readonly link: string; readonly link_profile: Pick<LinkProfile, "rtt_ms"> }[],
): void {
  for (const flow of flows)
    for (const { link, link_profile } of links) {
      const least_ms = Math.ceil(roundTripsOfMove * link_profile.rtt_ms);
      if (flow.migrate_s === undefined || flow.migrate_s * 1000 >= least_ms) continue;
      throw new UserError(
        `flow ${formatFlow(flow)} moves more often than every ${roundTripsOfMove} round trips of ${link}: write migrate=${formatTime_ms(least_ms)} or longer`,
      );
    }
}

/** UserError where they are more than a run takes. */
export function refuseTooMany(flows: readonly Flow[]): void {
  const count = countFlows(flows);
  if (count > mostFlows) throw new UserError(`${count} flows at once: a run takes at most ${mostFlows}`);
}

/** UserError where they are too many, or one cannot run in `for_s`. */
export function refuseImpossible(flows: readonly Flow[], for_s: number): void {
  refuseTooMany(flows);
  for (const flow of flows) refuseBeyond(flow, for_s);
}

/** `kernel`: as parseFlow has it. UserError naming the flow. */
export function readMix(words: readonly string[], kernel: readonly string[] | null): Flow[] {
  return words.map((each) => parseFlow(each, kernel));
}

/** One line for people, and the name of a mix that was given none. */
export function mixWords(flows: readonly Flow[]): string {
  return flows.map(formatFlow).join(" + ");
}
