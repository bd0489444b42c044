import { guide, introduction } from "#contract/reference/guide.ts";

import { Document, type Resource } from "./document.ts";
import { type Html, html } from "./escape.ts";
import { markdown } from "./markdown.ts";
import { operationSection } from "./operation.ts";
import { page } from "./page.ts";
import { pagingSamples, sampleGroup } from "./samples.ts";

/** The first page of the API reference: the rules that apply to every operation, and the sections. */
export function apiPage(document: Document): string {
  const resources = document.resources();
  const content = html`<section class="intro">
      <h1>API reference</h1>
      ${markdown(introduction)}
      <p>
        Programs read the same reference as an <a href="/v1/openapi.json">OpenAPI 3.1 document</a>, and
        generate clients from it.
      </p>
    </section>
    <section class="topics">
      ${guide.map(
        ({ id, title, text }) =>
          html`<div id="${id}">
            <h2><a href="#${id}">${title}</a></h2>
            ${markdown(text)} ${id === "lists" ? paging() : null}
          </div>`,
      )}
    </section>`;
  return page({ title: "API reference", part: "api", navigation: navigation(resources, null), content });
}

function paging(): Html {
  return html`<h3>Read a whole list</h3>
    ${sampleGroup("paging", pagingSamples)}`;
}

/** The page of a section of the API reference, with all of its operations. */
export function resourcePage(document: Document, resource: Resource): string {
  const { name, description, operations } = resource;
  const content = html`<section class="intro">
      <h1>${name}</h1>
      ${markdown(description)}
    </section>
    ${operations.map(({ method, path, operation }) => operationSection(document, method, path, operation))}`;
  return page({
    title: `${name} · API`,
    part: "api",
    navigation: navigation(document.resources(), name),
    content,
  });
}

function navigation(resources: readonly Resource[], current: string | null): Html {
  return html`<p><a href="/docs/api" ${isCurrent(current === null)}>Overview</a></p>
    <ul>
      ${guide.map(({ id, title }) => html`<li><a href="/docs/api#${id}">${title}</a></li>`)}
    </ul>
    <p>Resources</p>
    <ul>
      ${resources.map(
        ({ name, address, operations }) =>
          html`<li>
            <a href="${address}" ${isCurrent(name === current)}>${name}</a>
            ${
              name === current
                ? html`<ul>
                    ${operations.map(
                      ({ method, operation }) =>
                        html`<li>
                          <a href="#${operation.operationId}"
                            ><span class="method ${method}">${short(method)}</span
                            ><span>${operation.summary}</span></a
                          >
                        </li>`,
                    )}
                  </ul>`
                : null
            }
          </li>`,
      )}
    </ul>`;
}

function isCurrent(is: boolean): Html | null {
  return is ? html`aria-current="page"` : null;
}

function short(method: string): string {
  return method === "delete" ? "DEL" : method.toUpperCase();
}
