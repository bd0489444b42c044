import { type Html, html } from "./escape.ts";

/** A whole page. It has no scripts, and loads nothing from other hosts. */
export function page(title: string, navigation: Html, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24" />Gantry</a>
          <nav aria-label="Pages">
            <a href="/docs">Reference</a> <a href="/docs/problems">Problems</a>
            <a href="/v1/openapi.json">OpenAPI</a>
          </nav>
        </header>
        <div class="frame">
          <nav class="side" aria-label="Contents">
            <details class="folded">
              <summary>Contents</summary>
              ${navigation}
            </details>
            <div class="open">${navigation}</div>
          </nav>
          <main id="content">${content}</main>
        </div>
      </body>
    </html>`.text.replace(/^\s+/, "");
}
