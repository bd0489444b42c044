import type { Guides } from "../guides/read-guides.ts";
import { type Document, operationAddress } from "./document.ts";
import { html } from "./escape.ts";
import { guideNavigation } from "./guide-page.ts";
import { page } from "./page.ts";

/** The first page of the documentation: all guides, and all operations. */
export function homePage(document: Document, guides: Guides): string {
  const content = html`<section class="intro">
      <h1>Documentation</h1>
      <p>
        Gantry deploys git repositories to your own servers. The guides say how to do things; the API
        reference has every operation, field and problem. Press <kbd>/</kbd> to search both.
      </p>
    </section>
    <section class="cards" id="guides" aria-label="Guides">
      ${guides.groups.map(
        ({ title, names }) =>
          html`<div>
            <h2>${title}</h2>
            <ul>
              ${names.map((name) => html`<li><a href="/docs/${name}">${guides.all.get(name)?.title ?? name}</a></li>`)}
            </ul>
          </div>`,
      )}
    </section>
    <section class="intro">
      <h2><a href="/docs/api">API reference</a></h2>
    </section>
    <section class="cards" aria-label="Operations">
      ${document.resources().map(
        ({ name, address, operations }) =>
          html`<div id="${name.toLowerCase()}">
            <h3><a href="${address}">${name}</a></h3>
            <ul>
              ${operations.map(
                ({ operation }) =>
                  html`<li id="${operation.operationId}">
                    <a href="${operationAddress(operation)}">${operation.summary}</a>
                  </li>`,
              )}
            </ul>
          </div>`,
      )}
    </section>`;
  return page({ title: "Documentation", part: null, navigation: guideNavigation(guides, null), content });
}
