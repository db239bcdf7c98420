// What a link that moved while a page loaded cost it (rebind, switch): how often the client's address changed, how long it took
// until a server sent something to the new one, and how many connections were opened anew. A QUIC connection continues: its server
// shows when content left for the new address, which the link's delay then brings. One of TCP dies, and the browser opens another:
// the first byte is then the first of a response on a connection that was opened after the move. Pure.
import type { PageLoad } from "../../../schemas/generated/page_load.ts";
import type { ReplayConnection } from "../../../schemas/generated/replay_report.ts";
import type { ShaperMove } from "../../../schemas/generated/shaper_report.ts";

interface MovesCost {
  readonly path_moves: number;
  /** Mean over the moves after which anything came before the next one; null: after none. */
  readonly moved_first_byte_ms: number | null;
  readonly reconnections: number;
}

type Moment = number | null;

const earliest = (times_ns: readonly Moment[]): Moment =>
  times_ns.reduce((least, each) => (each !== null && (least === null || each < least) ? each : least), null);

/** The first byte of a response that the browser read on each connection, by id. */
function firstAnswers(load: PageLoad): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { _trilane } of load.log.entries) {
    const { served, response_ns } = _trilane;
    if (!served || response_ns === null) continue;
    found.set(served.connection, Math.min(found.get(served.connection) ?? response_ns, response_ns));
  }
  return found;
}

interface NewPath {
  readonly from_ns: number;
  /** The next move. */
  readonly to_ns: number;
  /** Of the link from there on, without its queue. */
  readonly delay_ns: number;
}

/** When something came on the new path between two moves. */
function firstByteOn(
  { from_ns, to_ns, delay_ns }: NewPath,
  connections: readonly ReplayConnection[],
  answers: ReadonlyMap<number, number>,
): Moment {
  const within = (time_ns: Moment): time_ns is number => time_ns !== null && time_ns >= from_ns && time_ns < to_ns;
  return earliest(
    connections.flatMap(({ id, opened_ns, path_changes }) => {
      const resumed = (path_changes ?? [])
        .filter(({ seen_ns }) => within(seen_ns))
        .map(({ resumed_ns }) => (resumed_ns === null ? null : resumed_ns + delay_ns));
      const opened = within(opened_ns) ? [answers.get(id) ?? null] : [];
      return [...resumed, ...opened].filter(within);
    }),
  );
}

/** `replay.connections` of a stored load: of loads of before there were moves they may be missing. */
const connectionsOf = ({ replay }: PageLoad["log"]["_trilane"]): readonly ReplayConnection[] =>
  replay && Array.isArray(replay.connections) ? (replay.connections as readonly ReplayConnection[]) : [];

/** Null where the link did not move between navigation and load event while there was a connection: of others no one takes notice. */
export function movesCost(load: PageLoad): MovesCost | null {
  const { shaper, navigation_start_ns, metrics, link } = load.log._trilane;
  if (!shaper?.moves || navigation_start_ns === null) return null;
  const end_ns = metrics.plt_ms === null ? Number.POSITIVE_INFINITY : navigation_start_ns + metrics.plt_ms * 1e6;
  const connections = connectionsOf(load.log._trilane);
  const isOpen = (at_ns: number): boolean => connections.some(({ opened_ns }) => opened_ns < at_ns);
  const moves = shaper.moves.list.filter(
    ({ at_ns }: ShaperMove) => at_ns >= navigation_start_ns && at_ns <= end_ns && isOpen(at_ns),
  );
  const first = moves[0];
  if (!first) return null;
  const answers = firstAnswers(load);
  const switched_ns = moves.find(({ kind }) => kind === "switch")?.at_ns ?? Number.POSITIVE_INFINITY;
  const waits_ms = moves.flatMap(({ at_ns }, i) => {
    const { down } = (at_ns >= switched_ns && link.switch?.link) || link;
    const path = {
      from_ns: at_ns,
      to_ns: moves[i + 1]?.at_ns ?? Number.POSITIVE_INFINITY,
      delay_ns: down.delay_ms * 1e6,
    };
    const byte_ns = firstByteOn(path, connections, answers);
    return byte_ns === null ? [] : [(byte_ns - at_ns) / 1e6];
  });
  return {
    path_moves: moves.length,
    moved_first_byte_ms: waits_ms.length === 0 ? null : waits_ms.reduce((sum, each) => sum + each, 0) / waits_ms.length,
    reconnections: connections.filter(({ opened_ns }) => opened_ns > first.at_ns && opened_ns <= end_ns).length,
  };
}
