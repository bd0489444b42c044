import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { type ProblemCode, problems } from "#contract/problems.ts";
import { problemRemedies } from "#contract/reference/problem-remedies.ts";

import { problemExample } from "../openapi/problems.ts";
import { jsonBlock } from "./code.ts";
import { type Document, operationAddress } from "./document.ts";
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
  return page({ title: "Problems", part: "problems", navigation: navigation(null), content });
}

/** The page at the address in a problem's `type`. */
export function problemPage(code: ProblemCode, document: Document): string {
  const { status, title } = problems[code];
  const returnedBy = document
    .operations()
    .filter(({ operation }) => document.codesOf(operation).includes(code));
  const content = html`<article class="problem">
    <div class="text">
      <h1>${title}</h1>
      <p class="route"><span class="method">${status}</span> <code>${code}</code></p>
      <p>${inline(problemCauses[code])}</p>
      <h2>What to do</h2>
      <p>${inline(problemRemedies[code])}</p>
      ${returnedBy.length === 0 ? null : html`<h2>Operations that return this problem</h2>`}
      <ul class="operations">
        ${returnedBy.map(
          ({ method, path, operation }) =>
            html`<li>
              <a href="${operationAddress(operation)}"
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
  return page({ title, part: "problems", navigation: navigation(code), content });
}

function navigation(current: ProblemCode | null): Html {
  return html`<p>
      <a href="/docs/problems" ${current === null ? html`aria-current="page"` : null}>All problems</a>
    </p>
    <ul>
      ${problemCodes.map(
        (code) =>
          html`<li>
            <a href="/docs/problems/${code}" ${code === current ? html`aria-current="page"` : null}
              ><span class="method">${problems[code].status}</span><span>${problems[code].title}</span></a
            >
          </li>`,
      )}
    </ul>`;
}
