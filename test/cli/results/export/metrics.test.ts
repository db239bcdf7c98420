// A metric of schemas/metrics.schema.json is everywhere: what it is called, CSV, the results.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { columns } from "../../../../cli/results/export/csv.ts";
import { filmMetrics, loadMetrics } from "../../../../cli/results/export/metric_words.ts";
import { loadObservations } from "../../../../cli/results/store/load_observations.ts";
import { firstMetrics, pageMetrics, visualMetrics } from "../../../../extension/capture/metric_facts.ts";

interface Properties {
  readonly properties: Readonly<Record<string, object>>;
}

test("every metric of the schema has its words, a CSV column and a column of the results", () => {
  const path = join(import.meta.dirname, "..", "..", "..", "..", "schemas", "metrics.schema.json");
  const { properties, definitions, required } = JSON.parse(readFileSync(path, "utf8")) as Properties & {
    readonly definitions: Readonly<Record<"computed" | "visual", Properties>>;
    readonly required: readonly string[];
  };
  const ofPage = Object.keys(properties).filter((name) => name !== "unavailable");
  assert.deepEqual(pageMetrics, ofPage);
  assert.deepEqual([...firstMetrics, "unavailable"], required);
  const words: Readonly<Record<string, { readonly title: string; readonly meaning: string }>> = {
    ...loadMetrics,
    ...filmMetrics,
  };
  const stored: readonly string[] = [...loadObservations, ...visualMetrics];
  for (const name of [
    ...ofPage,
    ...Object.keys(definitions.computed.properties),
    ...Object.keys(definitions.visual.properties),
  ]) {
    assert.ok(words[name]?.title && words[name].meaning, name);
    assert.equal(columns.filter((column) => column.name === name).length, 1, name);
    assert.ok(stored.includes(name), name);
  }
});
