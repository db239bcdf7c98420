// Configurations with variables: what is replaced, what is repeated, and which names are refused.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { checkout } from "../../../../cli/base/programs.ts";
import { fillTemplate, type TemplateValues } from "../../../../cli/load/servers/template.ts";

const values: TemplateValues = {
  folder: "/s",
  certificates: "/s/certificates",
  upstream: "127.0.0.1:8099",
  log: "/s/requests.log",
  configuration: "/s/configuration",
  hosts: [
    { host: "a.example", ports: [443, 8443], addresses: ["192.0.2.1", "192.0.2.2"], certificate: "/s/a.pem" },
    { host: "b.example", ports: [443], addresses: ["192.0.2.3"], certificate: "/s/b.pem" },
  ],
  h3: false,
};

test("lines stand once for each host and each of its ports, and those of HTTP/3 only with it", () => {
  const text = `up {{upstream}}
{{#hosts}}
host {{host}} at {{addresses}}
  {{#ports}}
  port {{port}}
  {{#h3}}
  quic {{port}} {{certificate}}
  {{/h3}}
  {{/ports}}
{{/hosts}}
end
`;
  const tcp = [
    "up 127.0.0.1:8099",
    ...["host a.example at 192.0.2.1 192.0.2.2", "  port 443", "  port 8443"],
    ...["host b.example at 192.0.2.3", "  port 443", "end", ""],
  ];
  assert.equal(fillTemplate(text, values), tcp.join("\n"));
  assert.match(fillTemplate(text, { ...values, h3: true }), /port 8443\n {2}quic 8443 \/s\/a\.pem\nhost b/);
});

test("ports outside of hosts are those of all hosts, once", () => {
  assert.equal(fillTemplate("{{#ports}}\n{{port}}\n{{/ports}}\n", values), "443\n8443\n");
});

test("a name that is none is refused with those that are", () => {
  assert.throws(() => fillTemplate("{{host}}", values), {
    message: "no variable {{host}} here: there are folder, certificates, upstream, log, configuration",
  });
  assert.throws(() => fillTemplate("{{#servers}}\nx\n{{/servers}}\n", values), {
    message: "no section {{#servers}} here: there are hosts, ports, h3",
  });
});

test("each template that is shipped can be filled, and nothing of it stays", () => {
  const folder = join(checkout, "cli", "load", "servers", "templates");
  for (const name of readdirSync(folder))
    assert.doesNotMatch(fillTemplate(readFileSync(join(folder, name), "utf8"), values), /\{\{/, name);
});
