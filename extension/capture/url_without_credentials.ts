// What of a URL no request has on the wire. Takes the user's name and password out of URLs (userinfo, RFC 3986 3.2.1). No request has them on the wire as part of
// its URL: browsers make Authorization of them. Pure. Leaves passwords elsewhere in a URL, as in its query, alone.

// For what is no whole URL: a Location may begin with `//`, and what cannot be parsed may hold a password too.
const userinfo = /^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})[^/\\?#]*@/i;
const embedded = /(\bhttps?:[/\\]{2})[^\s/\\?#<>"']*@/gi;

/** `http://user:secret@a.test/` -> `http://a.test/`. A URL or a reference without userinfo comes back as it was given. */
export function urlWithoutCredentials(url: string): string {
  if (!url.includes("@")) return url;
  const parsed = URL.parse(url);
  if (!parsed) return url.replace(userinfo, "$1");
  if (parsed.username === "" && parsed.password === "") return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

/** The same for text with URLs in it, as in the headers Link and Refresh. */
export const textWithoutUrlCredentials = (text: string): string => text.replace(embedded, "$1");

/** A fragment stays in the browser. */
export const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");
