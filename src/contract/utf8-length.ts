/** The length of a text in UTF-8, in bytes. Without TextEncoder, which not every runtime of this folder has. */
export function utf8Length(text: string): number {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%../g, "x").length;
}
