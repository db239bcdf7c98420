// From the types that a generator wrote for each schema by itself, modules that import what other schemas define: each
// type stands once, in the module of the schema that defines it. Reads and writes no files.

/** A schema's types as they were generated, with all that it refers to. */
export interface GeneratedTypes {
  /** The module's name, without its ending. */
  readonly name: string;
  readonly text: string;
  /** Names of the modules whose schemas it refers to, itself left out. */
  readonly refersTo: readonly string[];
}

interface Declaration {
  readonly name: string | null;
  readonly text: string;
}

/** The top-level declarations, each with the comment before it. What stands before the first one has no name. */
function declarationsOf(text: string): Declaration[] {
  const blocks: string[][] = [[]];
  let inComment = false;
  for (const line of text.split("\n")) {
    const begins = line.startsWith("/**") || (line.startsWith("export ") && !inComment);
    if (begins) blocks.push([]);
    if (line.startsWith("/**")) inComment = true;
    else if (line.startsWith("export ")) inComment = false;
    blocks.at(-1)?.push(line);
  }
  return blocks
    .map((lines) => lines.join("\n").trim())
    .map((block) => ({ name: /^export (?:interface|type) (\w+)/m.exec(block)?.[1] ?? null, text: block }));
}

/** The modules' texts by name. */
export function modulesOf(generated: readonly GeneratedTypes[]): Map<string, string> {
  const byName = new Map(generated.map((types) => [types.name, types]));
  const declared = new Map(generated.map(({ name, text }) => [name, declarationsOf(text)]));
  /** The module that a declaration comes from: the last one on the way along the references that has it. */
  const owner = (module: string, declaration: Declaration): string => {
    for (const next of byName.get(module)?.refersTo ?? []) {
      const has = declared.get(next)?.some(({ name, text }) => name === declaration.name && text === declaration.text);
      if (has) return owner(next, declaration);
    }
    return module;
  };
  return new Map(
    generated.map(({ name: module }) => {
      const own: string[] = [];
      const elsewhere = new Map<string, string>();
      for (const declaration of declared.get(module) ?? []) {
        const from = declaration.name === null ? module : owner(module, declaration);
        if (from === module) own.push(declaration.text);
        else elsewhere.set(declaration.name ?? "", from);
      }
      const [banner = "", ...rest] = own;
      const body = rest.join("\n");
      const used = [...elsewhere].filter(([name]) => new RegExp(`\\b${name}\\b`).test(body));
      const imports = [...Map.groupBy(used, ([, from]) => from)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([from, names]) => {
          const list = names.map(([name]) => name).toSorted();
          return `import type { ${list.join(", ")} } from "./${from}.ts";`;
        });
      return [module, `${[banner, ...imports].join("\n")}\n\n${body}\n`];
    }),
  );
}
