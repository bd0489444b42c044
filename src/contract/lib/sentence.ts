/** Makes a sentence of a part of one: with a capital letter and a full stop. */
export function sentence(part: string): string {
  const text = `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`;
  return text.endsWith(".") ? text : `${text}.`;
}
