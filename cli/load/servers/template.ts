// Configurations of servers as text with variables: {{name}} is replaced, and lines between {{#hosts}} and {{/hosts}} stand there once
// for each host, likewise for ports; {{#h3}} lines are there if HTTP/3 is served. Pure.
import { UserError } from "../../base/errors.ts";

/** A host of a recording, over https. */
export interface ServedSite {
  readonly host: string;
  readonly ports: readonly number[];
  readonly addresses: readonly string[];
}

interface ServedHost extends ServedSite {
  /** A file with its certificate, the authority's and the key. */
  readonly certificate: string;
}

export interface TemplateValues {
  /** For what the server writes. */
  readonly folder: string;
  /** Of all hosts: a folder of such files. */
  readonly certificates: string;
  /** Where the recording answers, in clear. */
  readonly upstream: string;
  /** A file for a line of each request (server_log.ts). */
  readonly log: string;
  /** What the server's configuration is written to. */
  readonly configuration: string;
  readonly hosts: readonly ServedHost[];
  readonly h3: boolean;
}

type Values = Readonly<Record<string, string>>;
type Sections = Readonly<Record<string, (body: string, values: Values) => string>>;

const variableNames = ["folder", "certificates", "upstream", "log", "configuration"] as const;

const section = /^[ \t]*\{\{#(\w+)\}\}[ \t]*\n([\s\S]*?)^[ \t]*\{\{\/\1\}\}[ \t]*\n?/gm;

function filled(text: string, values: Values, sections: Sections): string {
  const withSections = text.replaceAll(section, (_whole, name: string, body: string) => {
    const fill = sections[name];
    if (!fill) throw new UserError(`no section {{#${name}}} here: there are ${Object.keys(sections).join(", ")}`);
    return fill(body, values);
  });
  return withSections.replaceAll(/\{\{([#/]?\w+)\}\}/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new UserError(`no variable {{${name}}} here: there are ${Object.keys(values).join(", ")}`);
    return value;
  });
}

/** @throws UserError if a name is unknown. */
export function fillTemplate(text: string, given: TemplateValues): string {
  const all: Values = Object.fromEntries(variableNames.map((name) => [name, given[name]]));
  const ifH3 = (body: string, values: Values): string => (given.h3 ? filled(body, values, {}) : "");
  const forPorts =
    (ports: readonly number[]) =>
    (body: string, values: Values): string =>
      ports.map((port) => filled(body, { ...values, port: String(port) }, { h3: ifH3 })).join("");
  const forHosts = (body: string, values: Values): string =>
    given.hosts
      .map(({ host, ports, addresses, certificate }) =>
        filled(
          body,
          { ...values, host, certificate, addresses: addresses.join(" ") },
          { ports: forPorts(ports), h3: ifH3 },
        ),
      )
      .join("");
  const ports = [...new Set(given.hosts.flatMap((host) => host.ports))];
  return filled(text, all, { hosts: forHosts, ports: forPorts(ports), h3: ifH3 });
}
