import { guide, introduction } from "#contract/reference/guide.ts";

import type { OpenApi } from "../openapi/types.ts";
import { Document } from "./document.ts";
import { type Html, html } from "./escape.ts";
import { markdown } from "./markdown.ts";
import { operationSection } from "./operation.ts";
import { page } from "./page.ts";

export function referencePage(openApi: OpenApi): string {
  const document = new Document(openApi);
  const tags = document.tags();
  const content = html`<section class="intro">
      <h1>API reference</h1>
      ${markdown(introduction)}
    </section>
    <section class="guide">
      ${guide.map(
        ({ id, title, text }) =>
          html`<div id="${id}">
            <h2><a href="#${id}">${title}</a></h2>
            ${markdown(text)}
          </div>`,
      )}
    </section>
    ${tags.map(
      ({ name, description, operations }) =>
        html`<section id="${anchor(name)}">
          <div class="tag">
            <h2><a href="#${anchor(name)}">${name}</a></h2>
            ${markdown(description)}
          </div>
          ${operations.map(({ method, path, operation }) => operationSection(document, method, path, operation))}
        </section>`,
    )}`;
  return page("Gantry API reference", navigation(tags), content);
}

function navigation(tags: ReturnType<Document["tags"]>): Html {
  return html`<p>Guide</p>
    <ul>
      ${guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    ${tags.map(
      ({ name, operations }) =>
        html`<p><a href="#${anchor(name)}">${name}</a></p>
          <ul>
            ${operations.map(
              ({ method, operation }) =>
                html`<li>
                  <a href="#${operation.operationId}"
                    ><span class="method ${method}">${short(method)}</span
                    ><span>${operation.summary}</span></a
                  >
                </li>`,
            )}
          </ul>`,
    )}`;
}

function anchor(tag: string): string {
  return tag.toLowerCase();
}

function short(method: string): string {
  return method === "delete" ? "DEL" : method.toUpperCase();
}
