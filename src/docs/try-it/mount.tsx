import { render } from "preact";

import { TriedOperation } from "#contract/reference/page-data.ts";
import { parseJson } from "#contract/parse-json.ts";
import { TryIt } from "#docs/try-it/try-it.tsx";

/** Shows the form of an operation when the reader opens it for the first time. */
export function mountTryIt(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.try"))
    details.addEventListener("toggle", () => show(details), { once: true });
}

function show(details: HTMLDetailsElement): void {
  const operation = TriedOperation.parse(parseJson(details.dataset["operation"] ?? ""));
  const place = document.createElement("div");
  details.querySelector("p")?.replaceWith(place);
  render(<TryIt operation={operation} />, place);
}
