import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";
import { problemRemedies } from "#contract/reference/problem-remedies.ts";

import { problemExample } from "../openapi/problems.ts";
import type { OpenApi } from "../openapi/types.ts";
import { jsonBlock } from "./code.ts";
import { Document } from "./document.ts";
import { type Html, html } from "./escape.ts";
import { inline } from "./markdown.ts";
import { problemEntry } from "./operation.ts";
import { page } from "./page.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";

export function problemsPage(): string {
  const content = html`<section class="intro">
      <h1>Problems</h1>
      <p>
        Every error response has one of these codes. A code always has the same status, and never changes its
        meaning.
      </p>
    </section>
    <section>
      <dl class="problems all">${problemCodes.map(problemEntry)}</dl>
    </section>`;
  return page("Problems of the Gantry API", navigation(null), content);
}

/** The page at the address in a problem's `type`. */
export function problemPage(code: ProblemCode, openApi: OpenApi): string {
  const { status, title } = problems[code];
  const document = new Document(openApi);
  const returnedBy = document
    .operations()
    .filter(({ operation }) => document.codesOf(operation).includes(code));
  const content = html`<article class="problem">
    <div class="text">
      <h1>${title}</h1>
      <p class="route"><span class="method">${status}</span> <code>${code}</code></p>
      <p>${inline(problemCauses[code])}</p>
      <h4>What to do</h4>
      <p>${inline(problemRemedies[code])}</p>
      ${returnedBy.length === 0 ? null : html`<h4>Operations that return this problem</h4>`}
      <ul class="operations">
        ${returnedBy.map(
          ({ method, path, operation }) =>
            html`<li>
              <a href="/docs#${operation.operationId}"
                ><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></a
              >
            </li>`,
        )}
      </ul>
    </div>
    <div class="examples">
      <p class="label">Example</p>
      ${jsonBlock(problemExample(code))}
    </div>
  </article>`;
  return page(`${title} – Gantry API`, navigation(code), content);
}

function navigation(current: ProblemCode | null): Html {
  return html`<p><a href="/docs/problems">All problems</a></p>
    <ul>
      ${problemCodes.map(
        (code) =>
          html`<li>
            <a href="/docs/problems/${code}" class="${code === current ? "current" : ""}"
              ><span class="method">${problems[code].status}</span><span>${problems[code].title}</span></a
            >
          </li>`,
      )}
    </ul>`;
}
