import type { ServerResponse } from "node:http";

import { type IngressPage, MAINTENANCE_RETRY_SECONDS, pageOf } from "#agent/ingress/page.ts";

/** The pages that this server generates itself. They load nothing else. */
const texts = {
  400: ["Bad request", "This URL is not valid."],
  404: ["Not found", "This page does not exist."],
  405: ["Method not allowed", "A static site only supports GET and HEAD."],
  412: ["Precondition failed", "The file has changed."],
  416: ["Range not satisfiable", "The file is shorter than the requested range."],
  500: ["Internal error", "The file exists but cannot be read."],
  503: ["Nothing here yet", "Nothing has been deployed to this site yet."],
  server: [
    "This app runs as a server",
    "Its files are not published, and it has no process named web that could answer here. Define one, or set output_directory to publish files. An app that the activate_command starts answers at its own port.",
  ],
} as const;

type Page = keyof typeof texts;
export type PageStatus = Exclude<Page, "server">;

/**
 * Answers with a small page. Keeps headers that were set before, except headers that describe another body; a 416 keeps
 * its Content-Range.
 */
export function sendPage(response: ServerResponse, page: Page): void {
  const [title, text] = texts[page];
  sendHtml(response, page === "server" ? 503 : page, pageOf(title, text));
}

/** Answers in place of an app that cannot. */
export function sendIngressPage(response: ServerResponse, page: IngressPage): void {
  response.setHeader("Retry-After", page.retrySeconds);
  sendHtml(response, page.status, pageOf(page.title, page.text));
}

/** @param page HTML */
export function sendMaintenance(response: ServerResponse, page: string): void {
  response.setHeader("Retry-After", MAINTENANCE_RETRY_SECONDS);
  sendHtml(response, 503, page);
}

function sendHtml(response: ServerResponse, status: number, body: string): void {
  for (const name of ["etag", "accept-ranges"]) response.removeHeader(name);
  if (status !== 416) response.removeHeader("content-range");
  response.statusCode = status;
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.setHeader("Cache-Control", "no-cache");
  response.end(response.req.method === "HEAD" ? undefined : body);
}
