import { shellQuote } from "#node/shell-quote.ts";

import { textBlock } from "./code.ts";
import { type Html, html } from "./escape.ts";
import { SAMPLE_ORIGIN } from "./sample-origin.ts";

/** An example of a request. */
export type SampleRequest = {
  /** In upper case. */
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly hasToken: boolean;
  /** Sent as JSON; null: none. */
  readonly body: unknown;
};

/** The languages of samples, with the names that readers see. */
const languages = { curl: "curl", typescript: "TypeScript" } as const;
type Samples = Readonly<Record<keyof typeof languages, string>>;

/** Samples to choose from. Without a script, the choice holds for one group. */
export function sampleGroup(id: string, samples: Samples): Html {
  return html`<div class="samples">
    <div class="languages" role="radiogroup" aria-label="Language of the sample">
      ${Object.entries(languages).map(
        ([language, name]) =>
          html`<label
            ><input
              type="radio"
              name="language-${id}"
              value="${language}"
              ${language === "curl" ? html`checked` : null}
            />${name}</label
          >`,
      )}
    </div>
    ${textBlock(samples.curl, "curl")} ${textBlock(samples.typescript, "typescript")}
  </div>`;
}

export function requestSamples(request: SampleRequest): Samples {
  return { curl: curl(request), typescript: typeScript(request) };
}

function curl({ method, path, hasToken, body }: SampleRequest): string {
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "${SAMPLE_ORIGIN}${path}"`,
    ...(hasToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(hasFields(body)
      ? ['-H "Content-Type: application/json"', `-d ${shellQuote(JSON.stringify(body, null, 2))}`]
      : []),
  ];
  return lines.join(" \\\n  ");
}

function typeScript({ method, path, hasToken, body }: SampleRequest): string {
  const headers = [
    ...(hasToken ? ["Authorization: `Bearer ${process.env.TOKEN}`"] : []),
    ...(hasFields(body) ? ['"Content-Type": "application/json"'] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} },`]),
    ...(hasFields(body) ? [`body: JSON.stringify(${JSON.stringify(body, null, 2)}),`] : []),
  ];
  const init = options.length === 0 ? "" : `, {\n${indented(options.join("\n"))}\n}`;
  return [
    `const response = await fetch("${SAMPLE_ORIGIN}${path}"${init});`,
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function indented(text: string): string {
  return text.replace(/^/gm, "  ");
}

function hasFields(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.keys(body).length > 0;
}

/** Reads a whole list, page after page. */
export const pagingSamples: Samples = {
  curl: String.raw`next="${SAMPLE_ORIGIN}/v1/deployments?limit=100"
while [ -n "$next" ]; do
  curl -fsS -w '\n' -D headers.txt -H "Authorization: Bearer $TOKEN" "$next" || break
  next=$(sed -n 's/^[Ll]ink: <\(.*\)>; rel="next".*/\1/p' headers.txt)
done`,
  typescript: `type Page = { deployments: { id: string; status: string }[]; next_cursor: string | null };

async function* allDeployments() {
  const url = new URL("${SAMPLE_ORIGIN}/v1/deployments?limit=100");
  for (;;) {
    const response = await fetch(url, { headers: { Authorization: \`Bearer \${process.env.TOKEN}\` } });
    if (!response.ok) throw new Error(await response.text());
    const page = (await response.json()) as Page;
    yield* page.deployments;
    if (page.next_cursor === null) return;
    url.searchParams.set("cursor", page.next_cursor);
  }
}

for await (const { id, status } of allDeployments()) console.log(id, status);`,
};
