/** Markdown without its punctuation, on one line. */
export function plainText(source: string): string {
  return source
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^```.*$/gm, " ")
    .replace(/^[|:\s-]+$/gm, " ")
    .replace(/[`*|]/g, "")
    .replace(/\s+/g, " ");
}
