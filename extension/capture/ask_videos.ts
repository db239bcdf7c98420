// Asks every frame of a page for its videos, over the sessions of the page and of the frames in processes of their own. Knows what to
// ask; who attaches to the browser sends it.
import { videosExpression, type WatchedFrame } from "./video_watch.ts";

/** Sends a command to one session. Rejects where there is no answer. */
export type Send = (method: string, params: object) => Promise<unknown>;

export interface FrameVideos {
  /** null: it did not answer. */
  readonly main: WatchedFrame | null;
  readonly children: readonly WatchedFrame[];
  /** Frames that did not answer in time. */
  readonly silent: number;
  /** Frames beyond those that are read. */
  readonly beyond: number;
}

interface FrameTree {
  readonly frame: { readonly id: string };
  readonly childFrames?: readonly FrameTree[];
}

const mostFrames = 100;

const idsOf = ({ frame, childFrames }: FrameTree): string[] => [frame.id, ...(childFrames ?? []).flatMap(idsOf)];

const isFrame = (value: unknown): value is WatchedFrame =>
  typeof value === "object" && value !== null && "videos" in value && Array.isArray(value.videos);

/**
 * `sessions`: the page's first. `worldName`: where videosScript was run. A frame that goes away meanwhile is none of the page's;
 * `late` settles when no more is waited for.
 */
export async function askVideos(
  sessions: readonly Send[],
  worldName: string,
  late: Promise<unknown>,
): Promise<FrameVideos> {
  const silence = Symbol("silence");
  const inTime = <T>(answer: Promise<T>): Promise<T | typeof silence | null> =>
    Promise.race([answer.catch(() => null), late.then((): typeof silence => silence)]);
  const places = await Promise.all(
    sessions.map(async (send): Promise<{ send: Send; frameId: string }[]> => {
      const answer = await inTime(send("Page.getFrameTree", {}) as Promise<{ frameTree: FrameTree }>);
      if (answer === silence || answer === null) return [];
      return idsOf(answer.frameTree).map((frameId) => ({ send, frameId }));
    }),
  );
  const all = places.flat();
  const ask = async ({ send, frameId }: { send: Send; frameId: string }): Promise<unknown> => {
    const world = (await send("Page.createIsolatedWorld", { frameId, worldName })) as { executionContextId: number };
    const answer = (await send("Runtime.evaluate", {
      expression: videosExpression,
      contextId: world.executionContextId,
      returnByValue: true,
    })) as { result?: { value?: unknown } };
    return answer.result?.value;
  };
  const answers = await Promise.all(all.slice(0, mostFrames).map((place) => inTime(ask(place))));
  const [main, ...children] = answers;
  return {
    main: isFrame(main) ? main : null,
    children: children.filter(isFrame),
    silent: answers.filter((answer) => answer === silence).length,
    beyond: Math.max(0, all.length - mostFrames),
  };
}
