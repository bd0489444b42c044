import { type Html, html } from "./escape.ts";

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/gi;

/** Indented JSON with its tokens in elements, for colors. */
export function jsonBlock(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  const parts: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    parts.push(html`${text.slice(at, match.index)}`);
    const [whole, string, colon, word, number] = match;
    if (string !== undefined && colon !== undefined) parts.push(html`<b>${string}</b>${colon}`);
    else if (string !== undefined) parts.push(html`<i>${string}</i>`);
    else parts.push(html`<em>${word ?? number ?? whole}</em>`);
    at = match.index + whole.length;
  }
  return block(html`${parts}${text.slice(at)}`);
}

/** A block of code. @param language the choice of the reader that shows it; null: always shown */
export function textBlock(text: string, language: string | null = null): Html {
  return block(html`${text}`, language);
}

function block(content: Html, language: string | null = null): Html {
  const attribute = language === null ? null : html` data-language="${language}"`;
  return html`<div class="code" ${attribute}>
    <pre tabindex="0"><code>${content}</code></pre>
  </div>`;
}
