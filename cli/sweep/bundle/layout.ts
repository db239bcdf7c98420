// What a bundle's members are called, in which order they lie, and how large they may be. schemas/bundle.schema.json is the contract;
// reads and writes nothing.
import { largestMember_bytes } from "../../base/tar.ts";

export const fileEnding = ".tar.zst";

/** The first two members, which are in no list. */
export const readmeName = "README.md";
export const manifestName = "manifest.json";

export const planName = "plan.json";
export const resultsName = "results.db";
export const reportName = "report.html";
export const loadsName = "loads.csv";
const figuresFolder = "figures/";
const bodiesFolder = "bodies/";

export const figureMember = (name: string): string => `${figuresFolder}${name}`;
export const recordingMember = (name: string): string => `recordings/${name}.json`;
export const bodyMember = (sha256: string): string => `${bodiesFolder}${sha256.slice(0, 2)}/${sha256}`;
export const fileMember = (sha256: string): string => `files/${sha256}`;
export const schemaMember = (file: string): string => `schemas/${file}`;

/** Made from results.db alone, so that they can be made again and compared. */
export const isFigure = (name: string): boolean =>
  name === reportName || name === loadsName || name.startsWith(figuresFolder);

/** What a rerun needs. */
export const isOfRerun = (name: string): boolean =>
  name === planName || ["recordings/", bodiesFolder, "files/"].some((folder) => name.startsWith(folder));

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

/** The bytes of the largest member, of all together, of those that are read as one text; and how many there may be. SECURITY.md lists these. */
export const limits = {
  member_bytes: largestMember_bytes,
  all_bytes: 256 * 1024 ** 3,
  text_bytes: 256 * 1024 ** 2,
  members: 1_000_000,
  /** Of its JSON: each member has four values. */
  manifest: { depth: 20, values: 6_000_000 },
} as const;

/** For help and README. */
export const limitsInWords = "up to 8 GiB in one member, 256 GiB and a million members in all";
