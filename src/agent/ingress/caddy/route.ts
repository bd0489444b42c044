import type { IngressPage } from "#agent/ingress/page.ts";
import { pageOf } from "#agent/ingress/page.ts";

// The parts of Caddy's configuration that Gantry uses. https://caddyserver.com/docs/json/

export type CaddyHandler = { readonly handler: string; readonly [option: string]: unknown };
export type Matcher = Readonly<Record<string, unknown>>;
export type CaddyRoute = {
  /** Only the first route of a group that matches counts. */
  readonly group?: string;
  readonly match?: readonly Matcher[];
  readonly handle: readonly CaddyHandler[];
  readonly terminal?: boolean;
};

/** The values of a placeholder `{file.…}`, which Caddy reads for each request. */
export function contentOf(path: string): string {
  return `{file.${path}}`;
}

/** A text that Caddy uses as it is. */
export function escaped(text: string): string {
  return text.replaceAll(/[{}]/g, String.raw`\$&`);
}

/** Whether a file of a folder exists, which Caddy checks for each request. */
export function hasFile(folder: string, name: string): Matcher {
  return { file: { root: folder, try_files: [`/${name}`] } };
}

/** Where the files of a static site are, and the version of their release. */
export const ROOT = "{http.vars.root}";
export const RELEASE = "{gantry_release}";

/** Whether the site has one of these files. */
export function hasAnyFile(...paths: readonly string[]): Matcher {
  return { file: { root: ROOT, try_files: paths } };
}

/** Whether the path of a request, decoded, matches. */
export function matching({ source }: RegExp): Matcher {
  return { path_regexp: { pattern: source } };
}

/** Every part of the path begins with another character than a dot, or is `.well-known`. */
export const VISIBLE_PATH = String.raw`^(?:/+(?:\.well-known|[^./][^/]*)?)*$`;

export function setHeaders(set: Readonly<Record<string, string>>): CaddyHandler {
  return {
    handler: "headers",
    response: { set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, [value]])) },
  };
}

export function answer(
  status: number | string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): CaddyHandler[] {
  return [
    setHeaders({ "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", ...headers }),
    { handler: "static_response", status_code: status, body },
  ];
}

export function answerPage({ status, title, text, retrySeconds }: IngressPage): CaddyHandler[] {
  return answer(status, pageOf(title, text), { "Retry-After": String(retrySeconds) });
}

/** Compresses text. A stream of events is not compressed, because an event would wait for the next ones. */
export const compress: CaddyHandler = {
  handler: "encode",
  encodings: { zstd: {}, gzip: {} },
  prefer: ["zstd", "gzip"],
  match: {
    headers: {
      "Content-Type": [
        ...["html", "css", "plain", "javascript", "xml", "csv", "markdown", "vtt", "calendar"].map(
          (type) => `text/${type}*`,
        ),
        ...[
          "javascript",
          "json",
          "xml",
          "xhtml+xml",
          "wasm",
          "manifest+json",
          "ld+json",
          "rss+xml",
          "atom+xml",
        ].map((type) => `application/${type}*`),
        ...["image/svg+xml*", "image/x-icon*", "image/vnd.microsoft.icon*", "font/ttf*", "font/otf*"],
      ],
    },
  },
};
