/** Makes a sentence of a part of one: with a capital letter, unless it begins with a version such as v12, and a full stop. */
export function sentence(part: string): string {
  const text = part.replace(/^\p{Ll}(?!\d)/u, (first) => first.toUpperCase());
  return text.endsWith(".") ? text : `${text}.`;
}
