// What must hold of the extension before it is handed to a store: every file that the manifest and the pages name is
// there, no permission beyond those that are explained in extension/store.md, no code from elsewhere, none made from
// text at run time, none inline in a page, and a size that is quick to download. Reads a built folder, changes nothing.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";

export const sizeLimit_bytes = 1_000_000;

/** Each is explained in extension/store.md. */
const permissions = ["activeTab", "debugger", "scripting", "storage"];
const optionalPermissions = ["nativeMessaging"];
/** Firefox has no debugger for extensions: it reports the requests of sites that they may see. */
const firefoxPermissions = [
  ...["activeTab", "scripting", "storage"],
  ...["webRequest", "webRequestBlocking", "webRequestFilterResponse"],
];
const firefoxSites = ["<all_urls>"];

// Code made from text, which an extension may not do (and which its content security policy refuses).
const codeFromText =
  /\beval\s*\(|\bnew\s+Function\s*\(|(?<![.\w])Function\s*\(\s*["'`]|\bset(?:Timeout|Interval)\s*\(\s*["'`]/;
const remoteCode = /\bimportScripts\s*\(|\bimport\s*\(\s*["'`]?(?:https?:)?\/\/|\bfrom\s*["'](?:https?:)?\/\//;

interface Manifest {
  readonly manifest_version?: unknown;
  readonly version?: unknown;
  readonly permissions?: readonly string[];
  readonly optional_permissions?: readonly string[];
  readonly host_permissions?: readonly string[];
  readonly optional_host_permissions?: readonly string[];
  readonly content_scripts?: unknown;
  readonly externally_connectable?: unknown;
  readonly web_accessible_resources?: unknown;
  readonly icons?: Readonly<Record<string, string>>;
  readonly action?: { readonly default_popup?: string; readonly default_icon?: Readonly<Record<string, string>> };
  readonly background?: { readonly service_worker?: string; readonly scripts?: readonly string[] };
  readonly browser_specific_settings?: { readonly gecko?: { readonly id?: string } };
  readonly options_page?: string;
  readonly content_security_policy?: { readonly extension_pages?: string };
}

/** Names of all files below `folder`, with slashes. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

function checkPermissions(manifest: Manifest): string[] {
  const found: string[] = [];
  const firefox = manifest.browser_specific_settings?.gecko !== undefined;
  for (const [key, allowed] of [
    ["permissions", firefox ? firefoxPermissions : permissions],
    ["optional_permissions", optionalPermissions],
    ["host_permissions", firefox ? firefoxSites : []],
    ["optional_host_permissions", []],
  ] as const) {
    for (const name of manifest[key] ?? [])
      if (!(allowed as readonly string[]).includes(name)) found.push(`manifest.json: ${key} asks for ${name}`);
  }
  for (const key of ["content_scripts", "externally_connectable", "web_accessible_resources"] as const)
    if (manifest[key] !== undefined) found.push(`manifest.json: has ${key}, which lets pages near the extension`);
  return found;
}

function checkPolicy(policy: string | undefined): string[] {
  if (policy === undefined) return ["manifest.json: no content_security_policy for extension_pages"];
  const directives = new Map(
    policy.split(";").map((text) => {
      const [name = "", ...sources] = text.trim().split(/\s+/);
      return [name, sources];
    }),
  );
  const found: string[] = [];
  if (directives.get("default-src")?.join(" ") !== "'none'") found.push("manifest.json: default-src is not 'none'");
  if (directives.get("script-src")?.join(" ") !== "'self'") found.push("manifest.json: script-src is not 'self' alone");
  for (const [name, sources] of directives)
    for (const source of sources)
      if (!/^('self'|'none'|data:|blob:)$/.test(source) && !(name === "style-src" && source === "'unsafe-inline'"))
        found.push(`manifest.json: ${name} allows ${source}`);
  return found;
}

function checkPage(folder: string, page: string): string[] {
  const found: string[] = [];
  const text = readFileSync(join(folder, page), "utf8");
  for (const [, attributes = "", body = ""] of text.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)) {
    if (!/\bsrc\s*=/.test(attributes) || body.trim() !== "") found.push(`${page}: a script stands in the page`);
  }
  if (/<[^>]+\son[a-z]+\s*=/i.test(text)) found.push(`${page}: an event handler stands in the page`);
  for (const [, path = ""] of text.matchAll(
    /<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)\s*=\s*["']([^"']*)["']/gi,
  )) {
    if (/^([a-z]+:)?\/\//i.test(path)) found.push(`${page}: loads ${path} from elsewhere`);
    else if (!path.startsWith("data:") && !isFile(join(folder, posix.join(posix.dirname(page), path))))
      found.push(`${page}: names ${path}, which is not there`);
  }
  return found;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** What is wrong with the extension in `folder`, one line each; none where it may be handed on. */
export function checkExtension(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;
  const found = [...checkPermissions(manifest), ...checkPolicy(manifest.content_security_policy?.extension_pages)];
  if (manifest.manifest_version !== 3) found.push("manifest.json: manifest_version is not 3");
  if (!/^\d+(\.\d+){0,3}$/.test(String(manifest.version))) found.push(`manifest.json: version ${manifest.version}`);
  const named = [
    manifest.background?.service_worker ?? manifest.background?.scripts?.[0] ?? "(no service worker)",
    manifest.action?.default_popup ?? "(no popup)",
    ...Object.values(manifest.icons ?? {}),
    ...Object.values(manifest.action?.default_icon ?? {}),
    ...(manifest.options_page === undefined ? [] : [manifest.options_page]),
  ];
  for (const path of new Set(named))
    if (!isFile(join(folder, path))) found.push(`manifest.json: names ${path}, which is not there`);
  for (const size of ["16", "32", "48", "128"]) {
    const path = manifest.icons?.[size];
    if (path === undefined) found.push(`manifest.json: no icon of ${size} pixels`);
    else if (isFile(join(folder, path))) {
      const png = readFileSync(join(folder, path));
      // The IHDR chunk opens a PNG; width and height are its first fields.
      if (png.readUInt32BE(16) !== Number(size) || png.readUInt32BE(20) !== Number(size))
        found.push(`${path}: is not ${size} by ${size} pixels`);
    }
  }
  for (const file of filesOf(folder)) {
    if (!/\.(js|css|html|json|png|svg)$/.test(file)) found.push(`${file}: does not belong in the package`);
    if (file.endsWith(".html")) found.push(...checkPage(folder, file));
    if (!file.endsWith(".js")) continue;
    const text = readFileSync(join(folder, file), "utf8");
    const made = codeFromText.exec(text);
    if (made) found.push(`${file}: makes code from text: ${made[0]}`);
    const remote = remoteCode.exec(text);
    if (remote) found.push(`${file}: loads code from elsewhere: ${remote[0]}`);
  }
  return found;
}
