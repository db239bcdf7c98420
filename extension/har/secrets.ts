// Crosses out what is secret by its name, letter by letter: parameters in the query or fragment of URLs wherever text has
// some, fields of forms and of JSON. Pure. A secret without such a name, as a part of a path or of a page, stays.

// Of a name's words (accessToken, x-csrf-token, user[password]) one is enough.
const secretWords = new Set(
  "auth authorization bearer credential credentials csrf hmac jsessionid jwt otp passphrase passwd password phpsessid pwd secret secrets sessid session sessionid sid sig signature token tokens xsrf".split(
    " ",
  ),
);
// These mean something else in longer names (zip_code, sort_key, key_count), so that only the whole name counts.
const secretNames = new Set(["code", "key", "pass", "pin", "ticket"]);
const secretKeys = /(?:access|account|api|app|auth|client|private|secret|shared|subscription)key$/;
// Written as one word (authtoken, x-accesstoken).
const secretEnds = /(?:token|secret|passw(?:or)?d)$/;

/** What of a name makes its value secret, in words: README, help texts and the extension's words. */
export const secretNamesInWords = "token, password, secret, session, signature, auth, code, key and the like";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is crossed out of recordings, for the same readers. */
export const credentialsInWords =
  "cookies, authorization and request headers that are not known to be harmless (x-api-key, x-csrf-token)";

/** As in a URL's query, a form or a JSON object. */
export function isSecretName(name: string): boolean {
  const words = decoded(name)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
  const joined = words.join("");
  if (words.some((word) => secretWords.has(word)) || secretNames.has(joined)) return true;
  return secretKeys.test(joined) || secretEnds.test(joined);
}

export const crossedOut = (text: string): string => "x".repeat([...text].length);

// A parameter of a path ends sooner than one of a query. One within another's value (next=https%3A%2F%2F...) is encoded.
const ofQuery = /([?&#]|&amp;)([^?&#=\s"'<>]+)=([^&#\s"'<>]+)/g;
const ofPath = /(;)([^;/?&#=\s"'<>]+)=([^;/?&#\s"'<>]+)/g;
const ofNested = /(%3F|%26|%23|%3B)((?:(?!%3F|%26|%23|%3B|%3D)[^?&#=\s"'<>])+)%3D((?:(?!%26|%23)[^&#\s"'<>])+)/gi;

/** Text, or a URL by itself, whose URLs' secret parameters are as many `x`. */
export function textWithoutSecrets(text: string): string {
  // Most strings of a file have none, and there are many.
  if (!/[=]|%3D/i.test(text)) return text;
  return text
    .replaceAll(ofQuery, (all, before: string, name: string, value: string) =>
      isSecretName(name) ? `${before}${name}=${crossedOut(value)}` : all,
    )
    .replaceAll(ofPath, (all, before: string, name: string, value: string) =>
      isSecretName(name) ? `${before}${name}=${crossedOut(value)}` : all,
    )
    .replaceAll(ofNested, (all, before: string, name: string, value: string) =>
      isSecretName(name)
        ? `${before}${name}${all.slice(before.length + name.length, -value.length)}${crossedOut(value)}`
        : all,
    );
}

/** A JSON value without its secret fields' values; strings become as many `x`, numbers 0. */
function fieldsWithoutSecrets(value: unknown, secret = false): unknown {
  if (typeof value === "string") return secret ? crossedOut(value) : textWithoutSecrets(value);
  if (typeof value === "number") return secret ? 0 : value;
  if (Array.isArray(value)) return value.map((each) => fieldsWithoutSecrets(each, secret));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, each]) => [name, fieldsWithoutSecrets(each, secret || isSecretName(name))]),
  );
}

/** JSON, whole or a line each; what cannot be read, as it was cut off, is crossed out whole. */
function jsonWithoutSecrets(text: string): string {
  try {
    return JSON.stringify(fieldsWithoutSecrets(JSON.parse(text)));
  } catch {
    const lines = text.split("\n");
    return lines.length > 1 ? lines.map(jsonWithoutSecrets).join("\n") : text.replaceAll(/\S+/g, crossedOut);
  }
}

const ofPart = /(content-disposition:[^\r\n]*?\bname="([^"]*)"[\s\S]*?\r?\n\r?\n)([\s\S]*?)(?=\r?\n--|$)/gi;

/** The body of a request: a form, URL-encoded or in parts, or JSON. Any other is text with URLs in it. */
export function bodyWithoutSecrets(text: string, mimeType: string): string {
  if (/^multipart\//i.test(mimeType))
    return text.replaceAll(ofPart, (all, before: string, name: string, value: string) =>
      isSecretName(name) ? before + crossedOut(value) : all,
    );
  // Beacons send JSON and forms as plain text.
  if (/json/i.test(mimeType) || /^\s*[[{]/.test(text)) return jsonWithoutSecrets(text);
  return /^[^\s&=]+=/.test(text) ? textWithoutSecrets(`?${text}`).slice(1) : textWithoutSecrets(text);
}
