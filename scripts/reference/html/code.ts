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
  return html`<pre tabindex="0"><code>${parts}${text.slice(at)}</code></pre>`;
}

export function textBlock(text: string): Html {
  return html`<pre tabindex="0"><code>${text}</code></pre>`;
}

/** A request as a shell command. */
export function curl(request: {
  readonly method: string;
  readonly path: string;
  readonly hasToken: boolean;
  readonly body: unknown;
}): string {
  const isPlain = request.method === "GET";
  const lines = [
    `curl${isPlain ? "" : ` -X ${request.method}`} "$URL${request.path}"`,
    ...(request.hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(hasFields(request.body)
      ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(request.body, null, 2)}'`]
      : []),
  ];
  return lines.join(" \\\n  ");
}

function hasFields(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.keys(body).length > 0;
}
