import { dashboardPaths } from "#contract/public-paths.ts";
import { pageFiles } from "#contract/reference/page-data.ts";

import { type Html, html } from "./escape.ts";
import { markOrigins } from "./sample-origin.ts";

/** The parts of the documentation, as the header links to them. */
const parts = {
  guides: { name: "Guides", address: "/docs#guides" },
  api: { name: "API", address: "/docs/api" },
  problems: { name: "Problems", address: "/docs/problems" },
} as const;

export type Page = {
  readonly title: string;
  /** The part that it belongs to; null: none. */
  readonly part: keyof typeof parts | null;
  readonly navigation: Html;
  readonly content: Html;
};

/** A whole page. It has no inline scripts, and loads nothing from other hosts. */
export function page({ title, part, navigation, content }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Gantry docs</title>
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/style.css" />
        <script type="module" src="${pageFiles.script}"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/docs"
            ><img src="/docs/icon.svg" alt="" width="22" height="22" />Gantry <span>docs</span></a
          >
          <nav aria-label="Parts">
            ${Object.entries(parts).map(
              ([name, { name: label, address }]) =>
                html`<a href="${address}" ${name === part ? html`aria-current="true"` : null}>${label}</a>`,
            )}
          </nav>
          <div class="search"></div>
          <a class="dashboard" href="${dashboardPaths.root}/">Dashboard</a>
        </header>
        <div class="frame">
          <nav class="side" aria-label="Contents">
            <details class="folded">
              <summary>Contents</summary>
              ${navigation}
            </details>
            <div class="open">${navigation}</div>
          </nav>
          <main id="content" tabindex="-1">${markOrigins(content)}</main>
        </div>
      </body>
    </html>`.text.replace(/^\s+/, "");
}
