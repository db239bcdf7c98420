// Takes credentials out of headers: the values of Authorization, Proxy-Authorization, Cookie and Set-Cookie become as
// many `x`, so that names, attributes and sizes on the wire stay. Pure. Knows nothing of bodies, query strings or other
// headers, which may hold personal data too.

/** Any object that HAR's header and cookie lists are made of. */
interface NameValue {
  readonly name: string;
  readonly value: string;
}

const crossedOut = (text: string): string => "x".repeat([...text].length);

/** `a=secret` -> `a=xxxxxx`; a cookie without a name is all value. Space around it stays. */
function pairCrossedOut(pair: string): string {
  const equals = pair.indexOf("=");
  const [head, value] = equals < 0 ? ["", pair] : [pair.slice(0, equals + 1), pair.slice(equals + 1)];
  return head + value.replace(/\S+/g, crossedOut);
}

/** `Basic c2VjcmV0` -> `Basic xxxxxxxx`: the scheme says how, not who. */
function authorizationCrossedOut(value: string): string {
  const scheme = /^\s*[A-Za-z][A-Za-z0-9-]*\s+(?=\S)/.exec(value)?.[0] ?? "";
  return scheme + value.slice(scheme.length).replace(/\S+/g, crossedOut);
}

/** The value of one header, without its credentials. Several values that DevTools joined by newlines are several. */
export function redactedValue(name: string, value: string): string {
  switch (name.toLowerCase()) {
    case "authorization":
    case "proxy-authorization":
      return value.split("\n").map(authorizationCrossedOut).join("\n");
    case "cookie":
      return value
        .split("\n")
        .map((line) => line.split(";").map(pairCrossedOut).join(";"))
        .join("\n");
    case "set-cookie":
      return value
        .split("\n")
        .map((line) => {
          const [pair = "", ...attributes] = line.split(";");
          return [pairCrossedOut(pair), ...attributes].join(";");
        })
        .join("\n");
    default:
      return value;
  }
}

export function redactedHeaders<H extends NameValue>(headers: readonly H[]): H[] {
  return headers.map((header) => ({ ...header, value: redactedValue(header.name, header.value) }));
}

export function redactedCookies<C extends NameValue>(cookies: readonly C[]): C[] {
  return cookies.map((cookie) => ({ ...cookie, value: crossedOut(cookie.value) }));
}

/** What of a HAR entry holds credentials. */
interface Entry {
  readonly request: { readonly headers: readonly NameValue[]; readonly cookies: readonly NameValue[] };
  readonly response: { readonly headers: readonly NameValue[]; readonly cookies: readonly NameValue[] };
}

/** A HAR entry without its credentials; all else as it was. */
export function redactedEntry<E extends Entry>(entry: E): E {
  const { request, response } = entry;
  return {
    ...entry,
    request: { ...request, headers: redactedHeaders(request.headers), cookies: redactedCookies(request.cookies) },
    response: { ...response, headers: redactedHeaders(response.headers), cookies: redactedCookies(response.cookies) },
  };
}
