// Text that is too long for its place, cut where URLs and the names of a series differ least.

/** Shortens text in its middle. */
export function middleCut(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.4);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (length - 1 - head)).join("")}`;
}
