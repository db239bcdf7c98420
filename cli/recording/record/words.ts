// What the words of `trilane record` mean: page URLs, hosts' addresses, certificates to trust. UserErrors name the word.
import { createHash, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { UserError } from "../../base/errors.ts";
import { mostFile_bytes, readForeignBytes } from "../../base/foreign_file.ts";

import type { HostAddress } from "../../link/live/reach.ts";

/** What development servers listen on, nearly all without TLS. */
const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i;

/** "shop.example" is https://shop.example/, localhost:3000 http://localhost:3000/. */
export function pageUrl(text: string): string {
  const scheme = ownMachine.test(text) ? "http" : "https";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${scheme}://${text}`;
  if (!URL.canParse(whole))
    throw new UserError(`${JSON.stringify(text)} is not a URL: write it as https://shop.example/`);
  const url = new URL(whole);
  if (!/^https?:$/.test(url.protocol)) throw new UserError(`${text}: only http and https pages can be recorded`);
  url.hash = "";
  return url.href;
}

/** "https://www.shop.example/a/b?c" is www.shop.example-a-b-c. */
export function nameForUrl(url: string): string {
  const { hostname, port, pathname, search } = new URL(url);
  return `${hostname} ${port} ${pathname} ${search}`
    .replaceAll(/[^A-Za-z0-9._]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100)
    .replace(/-+$/, "");
}

export function readAddress(word: string): HostAddress {
  const [, host, given] = /^([^=\s,]+)=(.+)$/.exec(word) ?? [];
  const address = given?.replace(/^\[|\]$/g, "");
  // The browser's rules are words between commas and spaces.
  if (!host || !address || isIP(address) === 0 || !/^(\*\.)?[a-z0-9._-]+$/i.test(host))
    throw new UserError(`--resolve ${JSON.stringify(word)}: write HOST=ADDRESS, as shop.example=192.0.2.7`);
  return { host, address };
}

/** SHA-256 of each certificate's public key, as Chromium's list of keys to trust has it. */
export function readTrustedKeys(file: string): string[] {
  let text: string;
  try {
    text = readForeignBytes(file, mostFile_bytes.certificate).toString("utf8");
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`--trust ${error.message}`);
    throw new UserError(`--trust ${file}: cannot be read: name a PEM file of certificates`);
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new UserError(`--trust ${file}: holds no certificate: name a PEM file of them`);
  return certificates.map((pem) => {
    try {
      const key = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
      return createHash("sha256").update(key).digest("base64");
    } catch {
      throw new UserError(`--trust ${file}: holds a certificate that cannot be read: make it anew`);
    }
  });
}
