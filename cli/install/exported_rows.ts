// The rows of an export that have metrics: what schemas/export.schema.json says of a load and of a filmed load by hand, and a member
// for each metric of schemas/metrics.schema.json. Reads and writes no files.

type Schema = Readonly<Record<string, unknown>>;

interface Row extends Schema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Metrics by name; `required`: those that were always there. */
interface Metrics {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, { readonly metric?: { readonly meaning: string } }>>;
}

/** With the definitions of the same schema in the place of what refers to them. */
function inlined(schema: unknown, definitions: Schema): unknown {
  if (Array.isArray(schema)) return schema.map((each) => inlined(each, definitions));
  if (schema === null || typeof schema !== "object") return schema;
  const own = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inlined(value, definitions)]));
  const { $ref, ...plain } = own;
  const [, name] = /^#\/definitions\/(\w+)$/.exec(String($ref)) ?? [];
  return name === undefined ? own : { ...(inlined(definitions[name], definitions) as Schema), ...plain };
}

/** Without the metric's words, which are not a row's. */
function membersOf({ properties }: Metrics): [string, Schema][] {
  return Object.entries(properties).flatMap(([name, { metric, ...limits }]): [string, Schema][] =>
    metric ? [[name, { ...limits, description: `${metric.meaning}; null: unavailable.` }]] : [],
  );
}

/** `read`: the schema in a file of schemas/. The schemas' texts, by their files' names in schemas/generated/. */
export function exportedRows(read: (file: string) => unknown): Map<string, string> {
  const { definitions } = read("export.schema.json") as { definitions: Schema };
  const ofPage = read("metrics.schema.json") as Metrics & {
    readonly definitions: { readonly computed: Metrics; readonly video: Metrics; readonly visual: Metrics };
  };
  const { computed, video, visual } = ofPage.definitions;
  const schemaOf = (name: string, row: Row, groups: readonly Metrics[]): [string, string] => {
    const members = Object.fromEntries(groups.flatMap(membersOf));
    const always = groups.flatMap(({ required = [] }) => required.filter((each) => each in members));
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: `https://trilane.dev/schemas/generated/${name}`,
      ...row,
      $comment:
        "Generated from ../export.schema.json and ../metrics.schema.json by `npm run generate`: change these instead.",
      required: [...row.required, ...always],
      properties: { ...row.properties, ...members },
    };
    return [name, `${JSON.stringify(schema, null, 2)}\n`];
  };
  const rowOf = (name: string): Row => inlined(definitions[name], definitions) as Row;
  return new Map([
    schemaOf("exported-load.schema.json", rowOf("load_row"), [ofPage, computed, video]),
    schemaOf("exported-film.schema.json", rowOf("film_row"), [visual]),
  ]);
}
