import { dashboardPaths } from "#contract/public-paths.ts";

import type { Guides } from "../guides/read-guides.ts";
import { html } from "./escape.ts";
import { guideNavigation } from "./guide-page.ts";
import { page } from "./page.ts";

/** The page for an unknown address. */
export function missingPage(guides: Guides): string {
  const content = html`<section class="intro">
    <h1>Page not found</h1>
    <p>There is no page at this address. It may have been moved or removed, or a link to it may be wrong.</p>
    <ul>
      <li><a href="/docs#guides">Guides</a>: how to do things</li>
      <li><a href="/docs/api">API reference</a>: every operation and field</li>
      <li><a href="/docs/problems">Problems</a>: what each error means, and what to do</li>
      <li><a href="${dashboardPaths.root}/">Dashboard</a></li>
    </ul>
  </section>`;
  return page({ title: "Page not found", part: null, navigation: guideNavigation(guides, null), content });
}
