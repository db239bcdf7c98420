// Starts a native messaging host the way a browser does and says hello: whether what a manifest names can be used.

import { RunError } from "../../base/errors.ts";
import { version } from "../../base/version.ts";
import { HostConversation } from "../../recording/archive/host.ts";
import { extensionOrigin } from "./manifest.ts";

const patience_ms = 10_000;

/** The host's features. RunError where it does not start, does not answer, or is of another version. */
export async function tryHost(program: string): Promise<string[]> {
  const host = new HostConversation(program, [extensionOrigin]);
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new RunError(`${program}: no answer within ${patience_ms / 1000} s: run \`trilane doctor\``)),
        patience_ms,
      );
    });
    const answer = await Promise.race([host.send("hello"), late]);
    if (answer.version !== version)
      throw new RunError(`${program} is of version ${answer.version}, this is ${version}: run \`npm run setup\``);
    return Array.isArray(answer.features) ? answer.features.map(String) : [];
  } finally {
    clearTimeout(timer);
    await host.end();
  }
}
