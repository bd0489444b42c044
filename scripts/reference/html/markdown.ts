import { Html, html } from "./escape.ts";

/** Renders the Markdown of the contract's texts: paragraphs, lists, `code`, **bold** and [links](/docs). */
export function markdown(text: string): Html[] {
  return text.split("\n\n").map((paragraph) => {
    const lines = paragraph.split("\n");
    return lines.every((line) => line.startsWith("- "))
      ? html`<ul>
          ${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}
        </ul>`
      : html`<p>${inline(paragraph)}</p>`;
  });
}

export function inline(text: string): Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return html`<code>${part.slice(1, -1)}</code>`;
    if (/^\*\*[^*]+\*\*$/.test(part)) return html`<b>${part.slice(2, -2)}</b>`;
    const [, label, target] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    return label === undefined || target === undefined
      ? html`${part}`
      : html`<a href="${target}">${label}</a>`;
  });
}
