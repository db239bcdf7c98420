// A small recording written through trilane-host, and whether all that an archive lists is whole: for tests in which calls fail, or the power goes.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { programPath } from "../../cli/base/programs.ts";
import { shellWord } from "../../cli/base/shell_word.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { exchange } from "../cli/recording/archive/example_recording.ts";

/** `bodies` of them, each with bytes that no other recording has. `program`: in the place of trilane-host. */
export async function storeRecording(home: string, name: string, program: string, bodies = 3): Promise<void> {
  await withArchive(
    home,
    async (archive) =>
      archive.write({ name, url: "https://a.example/", source: "test", notes: {}, replace: false }, async (writer) => {
        for (let at = 0; at < bodies; at++) {
          const path = at === 0 ? "/" : `/${at}`;
          await writer.add({
            exchange: exchange(path, { host: "a.example" }),
            body: Buffer.from(`body of ${name} ${path}`),
          });
        }
      }),
    program,
  );
}

/** The names of the recordings, each of them whole. */
export async function wholeRecordings(home: string): Promise<string[]> {
  return await withArchive(home, async (archive) => {
    const names = (await archive.list()).map(({ name }) => name);
    for (const name of names) {
      const { problems, digest_matches } = await archive.verify(name);
      assert.deepEqual([problems, digest_matches], [[], true], name);
    }
    return names;
  });
}

/** A script in the place of trilane-host, which starts it with these variables. */
export function hostWith(path: string, variables: Readonly<Record<string, string>>): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  writeFileSync(path, `#!/bin/sh\nexec env ${set.join(" ")} ${shellWord(programPath("trilane-host"))} "$@"\n`);
  chmodSync(path, 0o700);
  return path;
}
