import type { Guide, Guides } from "../guides/read-guides.ts";
import { type Html, html } from "./escape.ts";
import { page } from "./page.ts";

/** The page of a guide, with the list of its headings, and the guides before and after it. */
export function guidePage(guides: Guides, guide: Guide): string {
  const headings = guide.sections.filter(({ depth }) => depth === 2);
  const list = html`<ul>
    ${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
  </ul>`;
  const content = html`<div class="guide">
    <article class="document">${guide.content} ${neighbors(guides, guide)}</article>
    ${
      headings.length < 2
        ? null
        : html`<nav class="headings" aria-label="On this page">
            <details class="folded">
              <summary>On this page</summary>
              ${list}
            </details>
            <div class="open">
              <p>On this page</p>
              ${list}
            </div>
          </nav>`
    }
  </div>`;
  return page({
    title: guide.title,
    part: "guides",
    navigation: guideNavigation(guides, guide.name),
    content,
  });
}

function neighbors(guides: Guides, { name }: Guide): Html {
  const all = [...guides.all.values()];
  const at = all.findIndex((guide) => guide.name === name);
  const link = (guide: Guide | undefined, label: string) =>
    guide === undefined
      ? null
      : html`<a href="/docs/${guide.name}"><small>${label}</small>${guide.title}</a>`;
  return html`<nav class="neighbors" aria-label="More guides">
    ${link(all[at - 1], "Previous")} ${link(all[at + 1], "Next")}
  </nav>`;
}

/** The list of all guides. @param current the guide that is shown; null: none */
export function guideNavigation(guides: Guides, current: string | null): Html {
  return html`${guides.groups.map(
      ({ title, names }) =>
        html`<p>${title}</p>
          <ul>
            ${names.map(
              (name) =>
                html`<li>
                  <a href="/docs/${name}" ${name === current ? html`aria-current="page"` : null}
                    >${guides.all.get(name)?.title ?? name}</a
                  >
                </li>`,
            )}
          </ul>`,
    )}
    <p>Reference</p>
    <ul>
      <li><a href="/docs/api">API</a></li>
      <li><a href="/docs/problems">Problems</a></li>
    </ul>`;
}
