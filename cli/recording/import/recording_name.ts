// What a recording is called that comes from a file. Reads nothing.
import { basename } from "node:path";
import { UserError } from "../../base/errors.ts";
import { fileEnding } from "./formats.ts";
import { inputName } from "./read.ts";

/** "My page.har.gz" becomes My-page, a folder has its own name; from standard input, the page's host. */
export function recordingName(file: string, url: string): string {
  const from = file === "-" ? new URL(url).hostname : basename(file).replace(fileEnding, "");
  const name = from
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);
  if (name === "") throw new UserError(`${inputName(file)}: gives no name for the recording: give one with --name`);
  return name;
}
