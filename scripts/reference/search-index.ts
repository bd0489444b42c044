import { problemCodes } from "#contract/endpoints/endpoint-facts.ts";
import { problems } from "#contract/problems.ts";
import { guide } from "#contract/reference/guide.ts";
import type { SearchEntry } from "#contract/reference/page-data.ts";
import { problemCauses } from "#contract/reference/problem-causes.ts";
import { problemRemedies } from "#contract/reference/problem-remedies.ts";

import { plainText } from "./guides/plain-text.ts";
import type { Guides } from "./guides/read-guides.ts";
import { type Document, operationAddress } from "./html/document.ts";

/** Everything that the search of the documentation finds. Of equally good ones, it shows the earlier ones first. */
export function searchIndex(document: Document, guides: Guides): SearchEntry[] {
  return [
    ...guide.map(({ id, title, text }) => ({
      title,
      context: "API",
      address: `/docs/api#${id}`,
      text: plainText(text),
    })),
    ...document.operations().map(({ method, path, operation }) => ({
      title: operation.summary,
      context: `${method.toUpperCase()} ${path}`,
      address: operationAddress(operation),
      text: plainText(`${operation.description} ${operation.operationId}`),
    })),
    ...[...guides.all.values()].flatMap(({ name, title, sections }) =>
      sections.map(({ id, title: heading, depth, text }) => ({
        title: heading,
        context: depth === 1 ? "Guide" : title,
        address: `/docs/${name}${depth === 1 ? "" : `#${id}`}`,
        text,
      })),
    ),
    ...problemCodes.map((code) => ({
      title: problems[code].title,
      context: `${problems[code].status} ${code}`,
      address: `/docs/problems/${code}`,
      text: plainText(`${problemCauses[code]} ${problemRemedies[code]}`),
    })),
  ];
}
