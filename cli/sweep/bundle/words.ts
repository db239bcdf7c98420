// What `bundle` and `reproduce` say to people. Pure.
import type { Bundled } from "../../../schemas/generated/bundled.ts";
import type { Reproduced } from "../../../schemas/generated/reproduced.ts";
import { count, formatSize } from "../../base/numbers.ts";
import { version } from "../../base/version.ts";

/** What of a sweep of commands is not as it was. */
export const maskedSentence = ({ command_lines, output }: NonNullable<Bundled["masked"]>): string =>
  `masked: ${count(command_lines, "value")} of command lines, ${count(output, "value")} in what they printed; look at plan.json for others`;

export function bundledLines(
  { path, sha256, bytes, unpacked_bytes, loads, recordings, figures, credentials, masked }: Bundled,
  nouns: readonly [string, string],
): string[] {
  const pages = recordings === 0 ? "no recordings" : count(recordings, "recording");
  return [
    `${count(loads, ...nouns)}, ${pages}, ${count(figures, "file")} of figures: ${formatSize(bytes)}, unpacked ${formatSize(unpacked_bytes)}`,
    ...(masked ? [maskedSentence(masked)] : []),
    credentials === "masked"
      ? "credentials are masked; personal data in pages' bodies and paths are not"
      : "credentials are kept: whoever has the file has them",
    `sha256: ${sha256}`,
    `bundle: ${path}`,
  ];
}

const mostNamed = 5;

function named(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function reproducedLines({ report, files, same, different, missing, made_by, folder }: Reproduced): string[] {
  const other = made_by === version ? "" : ` (made by Trilane ${made_by}, this is ${version})`;
  return [
    `${same} of ${count(files, "file")} (report, loads, figures) the same as in the bundle, byte for byte`,
    ...(different.length > 0 ? [`different${other}: ${named(different)}`] : []),
    ...(missing.length > 0 ? [`in the bundle, and not made here${other}: ${named(missing)}`] : []),
    `folder: ${folder}`,
    `report: ${report}`,
  ];
}
