import { printableName } from "#cli/output/printable.ts";

/**
 * Text of any origin in the Markdown of a summary: as characters only, on one line. A numeric reference is never read as
 * Markdown or as a tag.
 * Source: CommonMark, "Entity and numeric character references".
 */
export function plain(text: string): string {
  return printableName(text).replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** As `plain`, as code: GitHub looks for names of users and issues in all other text. */
export function code(text: string): string {
  return `<code>${plain(text)}</code>`;
}

/** A link with its address as the text; only the text if it is no address of a website. */
export function link(address: string, text: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isWebsite = url?.protocol === "https:" || url?.protocol === "http:";
  return url !== null && isWebsite ? `<a href="${plain(url.href)}">${plain(text)}</a>` : code(text);
}
