// A command as one text, as people write it for a shell, to the words that are run. No shell reads what needs none, because a shell
// takes time of its own; what needs one gets `/bin/sh -c`.

/** Of words with quotes and nothing else that a shell would read; null: a shell has to. */
function plainWords(text: string): string[] | null {
  const words: string[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    let word = "";
    for (;;) {
      const [part, single, double, bare] =
        /^(?:'([^']*)'|"([^"$`\\]*)"|([^\s'"$`\\|&;<>()*?[\]#~={}!]+|=))/.exec(rest) ?? [];
      if (part === undefined) break;
      // `NAME=value cmd` sets a variable; after the program `=` is a letter as any.
      if (bare === "=" && words.length === 0) return null;
      word += single ?? double ?? bare ?? "";
      rest = rest.slice(part.length);
    }
    if (rest !== "" && !/^\s/.test(rest)) return null;
    words.push(word);
    rest = rest.trimStart();
  }
  return words;
}

/** Empty: there is no command in it. */
export function wordsOf(text: string): string[] {
  if (text.trim() === "") return [];
  return plainWords(text) ?? ["/bin/sh", "-c", text];
}
