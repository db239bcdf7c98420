// Why a page could not be recorded, with the remedy: the browser's word for it, in ours. Pure.

/** By how Chromium's error begins; the first that fits. */
const remedies: readonly (readonly [string, string])[] = [
  [
    "ERR_NETWORK_ACCESS_DENIED",
    "it leads to a private address, which a public page may not: --allow-local-network lets it",
  ],
  [
    "ERR_BLOCKED_BY_LOCAL_NETWORK",
    "it leads to a private address, which a public page may not: --allow-local-network lets it",
  ],
  ["ERR_NAME_NOT_RESOLVED", "no such host: check the URL, or name its address with --resolve HOST=ADDRESS"],
  ["ERR_INTERNET_DISCONNECTED", "this machine has no network: connect it"],
  [
    "ERR_CERT_",
    "the certificate is not trusted; if you know the server: `openssl s_client -connect HOST </dev/null | openssl x509 >server.pem`, and --trust server.pem",
  ],
  ["ERR_SSL_PROTOCOL_ERROR", "the server does not speak TLS there: is it an http:// page?"],
  ["ERR_CONNECTION_REFUSED", "nothing listens there: check the URL's host and port"],
  ["ERR_CONNECTION_TIMED_OUT", "the server does not answer: check the URL and this machine's network"],
  ["ERR_ADDRESS_UNREACHABLE", "no way leads to the server: check the URL and this machine's network"],
  [
    "ERR_TOO_MANY_REDIRECTS",
    "it redirects in a circle, as sites do that want a cookie first: save a HAR in your own browser",
  ],
  ["ERR_ABORTED", "it is a file to download, or has no content: name a page"],
  ["ERR_INVALID_AUTH_CREDENTIALS", "it asks for a password: save a HAR in your own browser"],
];

/** `message` of a NavigationError at `url`, with what to do where that is known. */
export function withRemedy(message: string, url: string): string {
  const code = /net::(ERR_\w+)/.exec(message)?.[1];
  const remedy = remedies.find(([beginning]) => code?.startsWith(beginning))?.[1];
  const { hostname, port } = new URL(url);
  const server = `${hostname}:${port || "443"}`;
  return remedy === undefined ? message : `${message}: ${remedy.replace("-connect HOST", `-connect ${server}`)}`;
}

/** Of a browser that did not start: without user namespaces `unshare` fails, whatever it says of it, and the browser has no sandbox. */
export function startRemedy(message: string): string {
  const lacksNamespaces = /(^|: )unshare: |No usable sandbox/i.test(message);
  return lacksNamespaces
    ? `${message}: user namespaces are not allowed here, \`trilane doctor\` names the remedy`
    : message;
}
