// Reads a fact of a file once, and again when it is another file: its time, size or place on the disk has changed. A
// failure is not remembered: it may pass. Does not look behind a script that starts something else.
import { stat } from "node:fs/promises";

/** The question's answers, remembered for as long as the process lives. Rejects where there is no such file. */
export function oncePerFile<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return async (path) => {
    const { mtimeMs, size, ino } = await stat(path);
    const key = JSON.stringify([path, mtimeMs, size, ino]);
    const answer = known.get(key) ?? ask(path);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}
