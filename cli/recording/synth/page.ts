// A synthetic page's exchanges: the document and its objects, the same bytes for the same name every time. Pure: writes
// nothing. What the pages are stands in catalogue.ts.
//
// The load event waits for a data file: the document's script opens the document of an empty hidden frame and closes it
// when fetch() has read the file to its end, and a page has not loaded before its frames have.
import type { Exchange, Header, NewExchange } from "../archive/archive.ts";
import { jpegOfSize } from "../fill/jpeg.ts";
import { seededBytes } from "../fill/seeded.ts";
import { textOfSize } from "../fill/text.ts";
import type { ObjectKind, PageObject, PageSpec } from "./catalogue.ts";

/** Goes up when the same name gives other bytes than before, so that old recordings are not taken for new ones. */
export const generation = 1;

export interface SynthPage {
  readonly url: string;
  readonly exchanges: readonly NewExchange[];
}

interface MadeObject {
  readonly body: Buffer;
  readonly path: string;
  readonly host: number;
  readonly kind: ObjectKind;
  readonly url: string;
  /** Of an image. */
  readonly attributes: string;
}

const contentTypes: Record<ObjectKind | "document", string> = {
  document: "text/html; charset=utf-8",
  jpeg: "image/jpeg",
  script: "text/javascript; charset=utf-8",
  style: "text/css; charset=utf-8",
  data: "application/octet-stream",
};
const resourceTypes: Record<ObjectKind | "document", string> = {
  document: "document",
  jpeg: "image",
  script: "script",
  style: "stylesheet",
  data: "fetch",
};
const suffixes: Record<ObjectKind, string> = { jpeg: "jpg", script: "js", style: "css", data: "bin" };

/** The host's name: .test is kept for such use (RFC 2606), so no real site can be meant. */
function hostName(spec: PageSpec, index: number): string {
  const label = spec.name.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  return index === 0 ? `${label}.synth.test` : `h${index + 1}.${label}.synth.test`;
}

/** 198.18.0.0/15 is the range for benchmarks (RFC 2544): no real server, and one address space for a whole page. */
const hostAddress = (index: number): string => `198.18.0.${index + 1}`;

function exchange(
  spec: PageSpec,
  kind: ObjectKind | "document",
  host: number,
  path: string,
  body: Buffer,
): NewExchange {
  const headers: Header[] = [
    ["content-type", contentTypes[kind]],
    ["cache-control", "max-age=3600"],
  ];
  // fetch() may read a file of another host only where that host says so.
  if (kind === "data") headers.push(["access-control-allow-origin", "*"]);
  const described: Exchange = {
    method: "GET",
    scheme: "https",
    host: hostName(spec, host),
    port: 443,
    path,
    request_headers: [],
    address: hostAddress(host),
    status: 200,
    response_headers: headers,
    body_origin: "recorded",
    recorded: { resource_type: resourceTypes[kind], mime_type: contentTypes[kind], transfer_size: body.length },
  };
  return { exchange: described, body };
}

function bodyOf({ kind, size_bytes }: PageObject, seed: string): { body: Buffer; attributes: string } {
  switch (kind) {
    case "jpeg": {
      const jpeg = jpegOfSize(size_bytes, seed);
      if (!jpeg) throw new RangeError(`no JPEG has ${size_bytes} bytes`);
      const { width, height } = jpeg.dimensions;
      return { body: jpeg.bytes, attributes: `width="${width}" height="${height}"` };
    }
    case "script":
      return { body: Buffer.from(textOfSize("javascript", size_bytes, seed)), attributes: "" };
    case "style":
      return { body: Buffer.from(textOfSize("css", size_bytes, seed)), attributes: "" };
    case "data":
      return { body: seededBytes(seed, size_bytes), attributes: "" };
  }
}

function makeObject(spec: PageSpec, object: PageObject, index: number): MadeObject {
  const path = `/${index + 1}.${suffixes[object.kind]}`;
  const host = index % spec.hosts;
  // References on the document's own host are relative, as most pages write them.
  const url = host === 0 ? path : `https://${hostName(spec, host)}${path}`;
  // Not the page's name: carlucci-small's images are also the first of carlucci-large, stored once.
  const seed = `trilane synth ${generation} ${object.kind} ${object.size_bytes} ${index}`;
  return { ...bodyOf(object, seed), path, host, kind: object.kind, url };
}

const dataScript = (url: string): string => `<script>
{
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  const waiting = frame.contentDocument;
  waiting.open();
  fetch("${url}").then((response) => response.arrayBuffer()).finally(() => waiting.close());
}
</script>`;

function reference({ kind, url, attributes }: MadeObject): string {
  switch (kind) {
    case "jpeg":
      return `<img src="${url}" ${attributes} alt="">`;
    case "script":
      return `<script src="${url}"></script>`;
    case "style":
      return `<link rel="stylesheet" href="${url}">`;
    case "data":
      return dataScript(url);
  }
}

function documentOf(spec: PageSpec, objects: readonly MadeObject[]): string {
  if (spec.document_bytes !== null) return oneDocument(spec.document_bytes);
  const inHead = (object: MadeObject) => object.kind === "style" || object.kind === "script";
  const lines = (part: readonly MadeObject[]) => part.map((object) => `${reference(object)}\n`).join("");
  // The icon is an empty data URL, so that no browser asks the server for one.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${spec.name}</title>
<link rel="icon" href="data:,">
${lines(objects.filter(inHead))}</head>
<body>
${lines(objects.filter((object) => !inHead(object)))}</body>
</html>
`;
}

function oneDocument(size_bytes: number): string {
  const head = '<!doctype html><title>o</title><link rel=icon href="data:,">';
  // The smallest sizes have room for the doctype and the icon only.
  return `${head}${textOfSize("html", size_bytes - head.length, `trilane synth ${generation} document`)}`;
}

/** The document first, then the objects in the order in which the document references them. */
export function synthPage(spec: PageSpec): SynthPage {
  const objects = spec.objects.map((object, index) => makeObject(spec, object, index));
  const document = Buffer.from(documentOf(spec, objects));
  return {
    url: `https://${hostName(spec, 0)}/`,
    exchanges: [
      exchange(spec, "document", 0, "/", document),
      ...objects.map((object) => exchange(spec, object.kind, object.host, object.path, object.body)),
    ],
  };
}
