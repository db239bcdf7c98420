// What is secret in command lines and in what commands print, masked before it goes to others: headers, cookies, URLs and names by the rules
// of recordings and HARs (extension/har), wherever a command line has them. A secret of a command line is masked in the output, too. Pure.
import { redactedValue } from "../../../../extension/har/redact.ts";
import { bodyWithoutSecrets, crossedOut, isSecretName, textWithoutSecrets } from "../../../../extension/har/secrets.ts";

/** A shorter one is masked where it stands, and not looked for elsewhere: it may be a part of any word. */
const shortestSought = 4;

const allCrossed = (text: string): string => text.replaceAll(/\S+/g, crossedOut);

/** One header, as `Name: value`. Of a request's any that is not known to be harmless may be secret. */
function headerMasked(line: string, side: "request" | "response"): string {
  const [, name, between = "", value = ""] = /^([\w-]+)(:\s*)(.*)$/s.exec(line) ?? [];
  if (name === undefined) return line;
  const redacted = redactedValue(name, value, side);
  const keepsScheme = /^(?:proxy-)?authorization$/i.test(name);
  return name + between + (isSecretName(name) && !keepsScheme ? allCrossed(redacted) : redacted);
}

/** Options whose value may be secret by what is in it: those of curl, wget and their like. */
const options: readonly { readonly of: RegExp; readonly masked: (value: string) => string }[] = [
  { of: /^-(?:H|-header|-proxy-header)$/, masked: (value) => headerMasked(value, "request") },
  { of: /^-(?:b|-cookie)$/, masked: (value) => (/=/.test(value) ? redactedValue("cookie", value, "request") : value) },
  { of: /^-(?:u|U|-user|-proxy-user)$/, masked: (value) => (/:/.test(value) ? allCrossed(value) : value) },
  {
    of: /^-(?:d|F|-form|-form-string|-json|-data(?:-\w+)*|-post-data|-body-data)$/,
    masked: (value) => bodyWithoutSecrets(value, ""),
  },
];
const attached = /^(-[HbuUdF])(.+)$/s;
const assigned = /^(-{0,2})([A-Za-z_][\w.-]*)=(.+)$/s;
const quoted = /^(['"])(.*)\1$/s;
/** In front of what a shell reads: its own -c, and NAME=COMMAND of `trilane time`. */
const forShell = /^-(?:\w*c|-command)$/;
const shellWords = /(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\;|&()<>])+/g;

const userinfo = /(\bhttps?:\/\/)([^\s/?#<>"']+)@/gi;
const headerLine = /^([<>] |\s*)([A-Za-z][\w-]*:[ \t]*[^\r\n]+)/gm;
const field = /("([^"\\\n]{1,80})"\s*:\s*")((?:[^"\\\n]|\\.)*)(?=")/g;
const assignment = /(?<![\w?&;#-])((-{0,2}[A-Za-z_][\w-]*)=)([^\s"'&;]+)/g;

/** Any text: URLs, headers as `curl -v` prints them, fields of JSON, assignments. */
function textMasked(text: string): string {
  return textWithoutSecrets(text)
    .replaceAll(userinfo, (_, scheme: string, user: string) => `${scheme}${user.replaceAll(/[^:]+/g, crossedOut)}@`)
    .replaceAll(
      headerLine,
      (_, mark: string, line: string) => mark + headerMasked(line, mark === "> " ? "request" : "response"),
    )
    .replaceAll(field, (all, before: string, name: string, value: string) =>
      isSecretName(name) ? before + crossedOut(value) : all,
    )
    .replaceAll(assignment, (all, before: string, name: string, value: string) =>
      isSecretName(name) ? before + crossedOut(value) : all,
    );
}

/** What was crossed out of a text that kept its length; of another one, which was written anew, all of it. */
function crossedOutOf(before: string, after: string): string[] {
  const [letters, masked] = [[...before], [...after].join("")];
  if (letters.length !== [...after].length) return [before];
  // Letters beyond the first plane are two of JavaScript's: places are counted in whole ones.
  const places = /x+/g;
  const flat = [...masked].map((letter) => (letter.length === 1 ? letter : "?")).join("");
  return [...flat.matchAll(places)]
    .map(({ index, 0: run }) => letters.slice(index, index + run.length).join(""))
    .filter((original) => /[^x]/.test(original));
}

/** Masks one sweep: what its command lines had is known when its output is read. */
export class SecretMask {
  readonly #ofCommands = new Set<string>();
  readonly #ofOutput = new Set<string>();

  /** Different values masked so far. */
  get counts(): { readonly command_lines: number; readonly output: number } {
    return { command_lines: this.#ofCommands.size, output: this.#ofOutput.size };
  }

  /** Command lines of one sweep, all at once: a secret of one is masked in the others. Their programs' names stay. */
  lines(lines: readonly (readonly string[])[]): string[][] {
    const masked = lines.map((words) =>
      words.map((word, place) => (place === 0 ? word : this.#word(word, words[place - 1] ?? ""))),
    );
    return masked.map((words) => words.map((word, place) => (place === 0 ? word : this.#withoutKnown(word))));
  }

  /** What a command printed, or what is said of that. */
  output(text: string): string {
    let masked = this.#withoutKnown(text);
    for (const secret of this.#ofCommands) {
      // Output is kept from some letter on, which may be one of the secret's.
      for (let from = 1; from <= secret.length - shortestSought; from++)
        if (masked.startsWith(secret.slice(from)))
          masked = crossedOut(secret.slice(from)) + masked.slice(secret.length - from);
    }
    masked = textMasked(masked);
    if (masked !== text) for (const secret of crossedOutOf(text, masked)) this.#ofOutput.add(secret);
    return masked;
  }

  #withoutKnown(text: string): string {
    let masked = text;
    for (const secret of this.#ofCommands)
      if (secret.length >= shortestSought) masked = masked.replaceAll(secret, crossedOut);
    return masked;
  }

  #noted(before: string, after: string): string {
    if (before !== after) for (const secret of crossedOutOf(before, after)) this.#ofCommands.add(secret);
    return after;
  }

  /** All of it but its quotes. */
  #secret(value: string): string {
    const [, quote = "", inner = value] = quoted.exec(value) ?? [];
    return quote + this.#noted(inner, allCrossed(inner)) + quote;
  }

  /** `before`: the word in front of it, which may be the option that it is for. */
  #word(word: string, before: string): string {
    const [, quote, inner = ""] = quoted.exec(word) ?? [];
    if (quote !== undefined && !inner.includes(quote)) return quote + this.#word(inner, before) + quote;
    if (forShell.test(before)) return this.#shellText(word);
    const option = options.find(({ of }) => of.test(before));
    if (option) return this.#noted(word, option.masked(word));
    const name = /^--?([\w-]+)$/.exec(before)?.[1];
    if (name !== undefined && isSecretName(name) && !word.startsWith("-")) return this.#secret(word);
    const [, short, rest = ""] = attached.exec(word) ?? [];
    if (short !== undefined) return short + this.#word(rest, short);
    const [, dashes, assignee = "", value = ""] = assigned.exec(word) ?? [];
    if (dashes !== undefined) {
      const masked = isSecretName(assignee) ? this.#secret(value) : this.#word(value, `--${assignee}`);
      return `${dashes}${assignee}=${masked}`;
    }
    return /\s/.test(word) && !/^[\w-]+:\s/.test(word) ? this.#shellText(word) : this.#noted(word, textMasked(word));
  }

  /** Words that a shell reads, in one. */
  #shellText(text: string): string {
    let before = "";
    return text.replaceAll(shellWords, (word) => {
      const masked = this.#word(word, before);
      before = word;
      return masked;
    });
  }
}
