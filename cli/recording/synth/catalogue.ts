// The synthetic pages there are, by name, and what each is made of. Sizes are of response bodies, without headers, in
// decimal units (1 kB = 1000 bytes), as the studies give them. Makes no bytes: page.ts does.
//
// carlucci-*  Carlucci, De Cicco, Mascolo, SAC 2015, scenario S3: JPEGs only, no script, no style. Small images 2.6 kB,
//             large ones 86.5 kB: small page 18 + 3 (306.3 kB), medium 40 + 7 (709.5 kB), large 200 + 17 (1990.5 kB; the
//             paper rounds up to 2.1 MB).
// cse534-*    The CSE 534 project of 2017. It gives the counts, the sizes and the kinds; where it gives no number, these
//             are ours:
//   count-N       N JPEGs "up to 3 kB": 3000, 2900, ... bytes down to 1500 (16 images).
//   size-SIZE     one JPEG of that size.
//   type-*        one object: js 100 kB, css 100 kB, small image 3 kB, large image 500 kB, data file 500 kB.
//   many-small    60 JPEGs of 3 kB (180 kB).
//   few-large     4 JPEGs of 250 kB (1 MB).
//   mixed         1 style sheet of 30 kB, 2 scripts of 50 kB, 30 JPEGs of 3 kB, 2 JPEGs of 150 kB, 1 data file of 50 kB.
// panda-sizes   Panda 2019 (TUM), throughput by file size: data files of 1 kB, 10 kB, 100 kB, 1 MB and 10 MB, /1.bin to /5.bin;
//               panda-sizes-200MB: also of 100 MB and 200 MB, /6.bin and /7.bin.
// object-SIZE One HTML document whose own body has that size, and nothing else: one request.
//
// Each page but object-SIZE is an HTML document that references the objects in the order given. A data file is fetched
// by a small script in the document; page.ts says how the load event waits for it. Every name also exists with
// -hosts-N: the objects in turn on N hosts, each with its own address, the document on the first.
import type { CatalogueLine } from "../../../schemas/generated/synth_catalogue.ts";
import { UserError } from "../../base/errors.ts";

export type ObjectKind = "jpeg" | "script" | "style" | "data";

export interface PageObject {
  readonly kind: ObjectKind;
  readonly size_bytes: number;
}

export interface PageSpec {
  readonly name: string;
  readonly summary: string;
  /** Exact size of the document; null: as long as its references are. */
  readonly document_bytes: number | null;
  readonly objects: readonly PageObject[];
  readonly hosts: number;
}

const many = (count: number, kind: ObjectKind, size_bytes: number): PageObject[] =>
  Array.from({ length: count }, () => ({ kind, size_bytes }));

function carlucci(small: number, large: number): PageObject[] {
  return [...many(small, "jpeg", 2600), ...many(large, "jpeg", 86_500)];
}

const counted = (count: number): PageObject[] =>
  Array.from({ length: count }, (_, index) => ({ kind: "jpeg", size_bytes: 3000 - 100 * index }));

const dataFiles = (sizes: readonly number[]): PageObject[] => sizes.flatMap((size) => many(1, "data", size));
const pandaSizes = [1000, 10_000, 100_000, 1_000_000, 10_000_000];

const fixed: Record<string, { summary: string; objects: PageObject[] }> = {
  "carlucci-small": { summary: "18 JPEGs of 2.6 kB and 3 of 86.5 kB", objects: carlucci(18, 3) },
  "carlucci-medium": { summary: "40 JPEGs of 2.6 kB and 7 of 86.5 kB", objects: carlucci(40, 7) },
  "carlucci-large": { summary: "200 JPEGs of 2.6 kB and 17 of 86.5 kB", objects: carlucci(200, 17) },
  "cse534-count-1": { summary: "1 JPEG of 3 kB", objects: counted(1) },
  "cse534-count-5": { summary: "5 JPEGs up to 3 kB", objects: counted(5) },
  "cse534-count-10": { summary: "10 JPEGs up to 3 kB", objects: counted(10) },
  "cse534-count-16": { summary: "16 JPEGs up to 3 kB", objects: counted(16) },
  "cse534-size-1kB": { summary: "1 JPEG of 1 kB", objects: many(1, "jpeg", 1000) },
  "cse534-size-200kB": { summary: "1 JPEG of 200 kB", objects: many(1, "jpeg", 200_000) },
  "cse534-size-1MB": { summary: "1 JPEG of 1 MB", objects: many(1, "jpeg", 1_000_000) },
  "cse534-size-5MB": { summary: "1 JPEG of 5 MB", objects: many(1, "jpeg", 5_000_000) },
  "cse534-size-10MB": { summary: "1 JPEG of 10 MB", objects: many(1, "jpeg", 10_000_000) },
  "cse534-type-js": { summary: "1 script of 100 kB", objects: many(1, "script", 100_000) },
  "cse534-type-css": { summary: "1 style sheet of 100 kB", objects: many(1, "style", 100_000) },
  "cse534-type-small-image": { summary: "1 JPEG of 3 kB", objects: many(1, "jpeg", 3000) },
  "cse534-type-large-image": { summary: "1 JPEG of 500 kB", objects: many(1, "jpeg", 500_000) },
  "cse534-type-data": { summary: "1 data file of 500 kB", objects: many(1, "data", 500_000) },
  "cse534-many-small": { summary: "60 JPEGs of 3 kB", objects: many(60, "jpeg", 3000) },
  "cse534-few-large": { summary: "4 JPEGs of 250 kB", objects: many(4, "jpeg", 250_000) },
  "cse534-mixed": {
    summary: "css, 2 js, 30 small + 2 large JPEGs, data file",
    objects: [
      ...many(1, "style", 30_000),
      ...many(2, "script", 50_000),
      ...many(30, "jpeg", 3000),
      ...many(2, "jpeg", 150_000),
      ...many(1, "data", 50_000),
    ],
  },
  "panda-sizes": { summary: "data files of 1 kB to 10 MB", objects: dataFiles(pandaSizes) },
  "panda-sizes-200MB": {
    summary: "data files of 1 kB to 200 MB",
    objects: dataFiles([...pandaSizes, 100_000_000, 200_000_000]),
  },
};

const sumOf = (objects: readonly PageObject[]): number => objects.reduce((sum, { size_bytes }) => sum + size_bytes, 0);

/** The lines of `trilane synth --list`. */
export function catalogue(): CatalogueLine[] {
  return Object.entries(fixed).map(([name, { summary, objects }]) => ({
    name,
    summary,
    requests: objects.length + 1,
    object_bytes: sumOf(objects),
  }));
}

const units: Record<string, number> = { B: 1, kB: 1000, MB: 1_000_000 };
const smallestDocument_bytes = 64;
const largestDocument_bytes = 100_000_000;
const mostHosts = 100;

function documentSize(size: string, name: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)(B|kB|MB)$/.exec(size) ?? [];
  // Rounded, because 2.3 times a million is no whole number in floating point.
  const exact = Number(digits) * (units[unit] ?? Number.NaN);
  const size_bytes = Math.abs(exact - Math.round(exact)) < 1e-3 ? Math.round(exact) : Number.NaN;
  if (!Number.isInteger(size_bytes) || size_bytes < smallestDocument_bytes || size_bytes > largestDocument_bytes)
    throw new UserError(`synth page ${name}: SIZE is a size like 64B, 1kB, 2.5MB, from 64B to 100MB`);
  return size_bytes;
}

/** What a name stands for. UserError for a name that is none. */
export function pageSpec(name: string): PageSpec {
  const [, base = name, hostsText] = /^(.+?)-hosts-(\d+)$/.exec(name) ?? [];
  const hosts = hostsText === undefined ? 1 : Number(hostsText);
  if (hosts < 1 || hosts > mostHosts) throw new UserError(`synth page ${name}: hosts are 1 to ${mostHosts}`);
  const size = /^object-(.*)$/.exec(base)?.[1];
  if (size !== undefined) {
    if (hosts !== 1) throw new UserError(`synth page ${name}: one object can stand on one host only`);
    const document_bytes = documentSize(size, base);
    return { name, summary: `1 HTML document of ${size}`, document_bytes, objects: [], hosts };
  }
  const found = Object.hasOwn(fixed, base) ? fixed[base] : undefined;
  if (!found) throw new UserError(`no synth page is called ${base}: \`trilane synth --list\` shows them`);
  return { name, summary: found.summary, document_bytes: null, objects: found.objects, hosts };
}
