// The schemas of an export's rows: a metric that is in the registry is in them, without a line by hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exportedRows } from "../../../cli/install/exported_rows.ts";

const schemas = join(import.meta.dirname, "..", "..", "..", "schemas");
const read = (file: string): unknown => JSON.parse(readFileSync(join(schemas, file), "utf8"));

interface Metrics {
  readonly properties: Record<string, object>;
  readonly definitions: Readonly<Record<"computed" | "visual", { readonly properties: Record<string, object> }>>;
}

interface Row {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

const metricsWith = (change: (metrics: Metrics) => void) => {
  const metrics = read("metrics.schema.json") as Metrics;
  change(metrics);
  return (file: string): unknown => (file === "metrics.schema.json" ? metrics : read(file));
};

const rowOf = (rows: ReadonlyMap<string, string>, name: string): Row =>
  JSON.parse(rows.get(`exported-${name}.schema.json`) ?? "null") as Row;

const added = (meaning: string) => ({
  type: ["number", "null"],
  minimum: 0,
  metric: { title: "INP", meaning, kind: "duration" },
});

test("a new metric of a page, of a stored load or of a film is a member of the row, and none that must be there", () => {
  const rows = exportedRows(
    metricsWith(({ properties, definitions }) => {
      properties.inp_ms = added("interaction to next paint");
      definitions.computed.properties.waste_ms = added("time wasted");
    }),
  );
  const load = rowOf(rows, "load");
  assert.deepEqual(load.properties.inp_ms, {
    type: ["number", "null"],
    minimum: 0,
    description: "interaction to next paint; null: unavailable.",
  });
  assert.ok("waste_ms" in load.properties && "plt_ms" in load.properties && "unavailable" in load.properties === false);
  assert.deepEqual(
    load.required.filter((name) => /_ms$/.test(name)),
    ["wall_ms", "plt_ms", "ttfb_ms", "dcl_ms", "fcp_ms", "lcp_ms"],
  );
  const film = rowOf(
    exportedRows(
      metricsWith(({ definitions }) => {
        definitions.visual.properties.first_change_ms = added("first change");
      }),
    ),
    "film",
  );
  assert.ok("first_change_ms" in film.properties && film.required.includes("speed_index_ms"));
});

test("what a row refers to in its own schema stands in it, so that it can be read alone", () => {
  for (const [name, text] of exportedRows(read)) assert.doesNotMatch(text, /"#\/definitions/, name);
  assert.deepEqual(rowOf(exportedRows(read), "load").properties.requests, {
    oneOf: [{ type: "integer", minimum: 0 }, { type: "null" }],
  });
});
