// Takes credentials out of headers: the values of Authorization, Proxy-Authorization, Cookie and Set-Cookie become as
// many `x`, as do those of all request headers that are not known to be harmless, because a secret may have any name; names, attributes and
// sizes on the wire stay. (Of response headers a page's scripts may need them.) Names and passwords in front of URLs' hosts go. That is
// all for what is replayed, which goes by URLs and bodies; for what is exported to be read, what is secret by its name goes
// too, in URLs, headers and requests' bodies. Pure. Personal data without such a name stay.
import { textWithoutUrlCredentials, urlWithoutCredentials } from "../capture/url_without_credentials.ts";
import { bodyWithoutSecrets, crossedOut, isSecretName, textWithoutSecrets } from "./secrets.ts";

/** Any object that HAR's header and cookie lists are made of. */
interface NameValue {
  readonly name: string;
  readonly value: string;
}

/** `a=secret` -> `a=xxxxxx`; a cookie without a name is all value. Space around it stays. */
function pairCrossedOut(pair: string): string {
  const equals = pair.indexOf("=");
  const [head, value] = equals < 0 ? ["", pair] : [pair.slice(0, equals + 1), pair.slice(equals + 1)];
  return head + value.replace(/\S+/g, crossedOut);
}

// IANA's registry of authentication schemes, and what large sites have beside it. Any other first word may be the secret.
const schemes =
  /^\s*(?:Basic|Bearer|Concealed|DPoP|Digest|GNAP|HOBA|Mutual|Negotiate|OAuth|PrivateToken|SCRAM-SHA-(?:1|256)|vapid|NTLM|AWS4-HMAC-SHA256|Hawk|SharedKey|Token|ApiKey|GoogleLogin)\s+(?=\S)/i;

/** `Basic c2VjcmV0` -> `Basic xxxxxxxx`: the scheme says how, not who. */
function authorizationCrossedOut(value: string): string {
  const scheme = schemes.exec(value)?.[0] ?? "";
  return scheme + value.slice(scheme.length).replace(/\S+/g, crossedOut);
}

export type Side = "request" | "response";

/** Request headers of browsers and of HTTP that say nothing of who asks. Any other's value is masked. */
const harmless: ReadonlySet<string> = new Set(
  `a-im accept accept-charset accept-datetime accept-encoding accept-language accept-ranges access-control-request-headers
  access-control-request-method access-control-request-private-network attribution-reporting-eligible attribution-reporting-support
  available-dictionary cache-control connection content-disposition content-encoding content-language content-length content-md5 content-range
  content-type date device-memory dictionary-id dnt downlink dpr early-data ect expect host http2-settings if-match if-modified-since
  if-none-match if-range if-unmodified-since keep-alive last-event-id max-forwards origin ping-from ping-to pragma prefer priority
  proxy-connection purpose range rtt save-data service-worker service-worker-navigation-preload te trailer transfer-encoding upgrade
  upgrade-insecure-requests user-agent via viewport-width width x-purpose x-requested-with`.split(/\s+/),
);
const harmlessBeginnings =
  /^(?::(?:method|scheme|authority|path|protocol)$|sec-ch-|sec-fetch-|sec-gpc$|sec-purpose$|sec-websocket-(?:version|extensions)$)/;

const isHarmless = (name: string): boolean => harmless.has(name) || harmlessBeginnings.test(name);

/** The value of one header, without its credentials. Several values that DevTools joined by newlines are several. */
export function redactedValue(name: string, value: string, side: Side): string {
  const lowerCased = name.trim().toLowerCase();
  switch (lowerCased) {
    case "authorization":
    case "proxy-authorization":
      return value.split("\n").map(authorizationCrossedOut).join("\n");
    case "cookie":
    case "cookie2":
      return value
        .split("\n")
        .map((line) => line.split(";").map(pairCrossedOut).join(";"))
        .join("\n");
    case "set-cookie":
    case "set-cookie2":
      return value
        .split("\n")
        .map((line) => {
          const [pair = "", ...attributes] = line.split(";");
          return [pairCrossedOut(pair), ...attributes].join(";");
        })
        .join("\n");
    case "location":
    case "content-location":
    case "referer":
      return value.split("\n").map(urlWithoutCredentials).join("\n");
    case "link":
    case "refresh":
      return textWithoutUrlCredentials(value);
    default:
      return side === "request" && !isHarmless(lowerCased) ? value.replace(/\S+/g, crossedOut) : value;
  }
}

export function redactedHeaders<H extends NameValue>(headers: readonly H[], side: Side): H[] {
  return headers.map((header) => ({ ...header, value: redactedValue(header.name, header.value, side) }));
}

function redactedCookies<C extends NameValue>(cookies: readonly C[]): C[] {
  return cookies.map((cookie) => ({ ...cookie, value: crossedOut(cookie.value) }));
}

/** What of a HAR entry holds credentials. */
interface Entry {
  readonly request: {
    readonly url: string;
    readonly headers: readonly NameValue[];
    readonly cookies: readonly NameValue[];
  };
  readonly response: {
    readonly redirectURL: string;
    readonly headers: readonly NameValue[];
    readonly cookies: readonly NameValue[];
  };
  readonly _full_url?: string;
  readonly _initiator?: { readonly url?: string };
  readonly _trilane?: { readonly documentUrl: string };
}

/** A HAR entry without its credentials, for a replay; all else as it was. */
export function redactedEntry<E extends Entry>(entry: E): E {
  const { request, response, _full_url, _initiator, _trilane } = entry;
  return {
    ...entry,
    request: {
      ...request,
      url: urlWithoutCredentials(request.url),
      headers: redactedHeaders(request.headers, "request"),
      cookies: redactedCookies(request.cookies),
    },
    response: {
      ...response,
      redirectURL: urlWithoutCredentials(response.redirectURL),
      headers: redactedHeaders(response.headers, "response"),
      cookies: redactedCookies(response.cookies),
    },
    ...(_full_url === undefined ? {} : { _full_url: urlWithoutCredentials(_full_url) }),
    ...(_initiator?.url === undefined
      ? {}
      : { _initiator: { ..._initiator, url: urlWithoutCredentials(_initiator.url) } }),
    ...(_trilane ? { _trilane: { ..._trilane, documentUrl: urlWithoutCredentials(_trilane.documentUrl) } } : {}),
  };
}

const isPair = (value: object): value is NameValue =>
  "name" in value && "value" in value && typeof value.name === "string" && typeof value.value === "string";

const isBody = (value: object): value is { mimeType: string; text: string } =>
  "mimeType" in value && "text" in value && typeof value.mimeType === "string" && typeof value.text === "string";

function pairForReaders({ name, value }: NameValue): string {
  const redacted = redactedValue(name, value, "response");
  if (/^\s*(?:proxy-)?authorization\s*$/i.test(name)) return redacted;
  return isSecretName(name) ? crossedOut(redacted) : textWithoutSecrets(redacted);
}

/** A value of JSON with other texts in it. `ofObject`: what of an object is more than its fields'. */
function withTexts(value: unknown, ofText: (text: string) => string, ofObject: (value: object) => object): unknown {
  if (typeof value === "string") return ofText(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, ofText, ofObject));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, withTexts(each, ofText, ofObject)]);
  return { ...Object.fromEntries(fields), ...ofObject(value) };
}

function objectForReaders(value: object): object {
  if (isPair(value)) return { value: pairForReaders(value) };
  return isBody(value) ? { text: bodyWithoutSecrets(value.text, value.mimeType) } : {};
}

/** What was stored before names and passwords were left out of URLs. */
export const withoutUrlPasswords = <T>(value: T): T =>
  withTexts(
    value,
    (text) => (text.includes("@") ? textWithoutUrlCredentials(text) : text),
    () => ({}),
  ) as T;

/**
 * Any part of a HAR but cookies' lists, for readers: without secrets in the URLs that any text of it has, in lists of
 * headers, queries and forms, and in bodies of requests.
 */
export const withoutSecrets = <T>(value: T): T =>
  withTexts(value, (text) => textWithoutSecrets(textWithoutUrlCredentials(text)), objectForReaders) as T;

/** A HAR entry for readers. Its sizes are those of what was sent. */
export const entryForReaders = <E extends Entry>(entry: E): E => withoutSecrets(redactedEntry(entry));

/** A HAR for readers. */
export function harForReaders<L extends { readonly entries: readonly Entry[] }>({
  log,
}: {
  readonly log: L;
}): { log: L } {
  const { entries, ...head } = log;
  return { log: { ...withoutSecrets(head), entries: entries.map(entryForReaders) } as unknown as L };
}
