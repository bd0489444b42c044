import type { Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import send from "send";

import { findEarlierAsset } from "#agent/workspace/earlier-assets.ts";
import { IMMUTABLE, isImmutable, REVALIDATE } from "#agent/ingress/caching.ts";
import { contentTypeOf } from "#agent/ingress/content-types.ts";
import { findFile, findNotFoundPage, type Found, visibleParts } from "#agent/sites/find-file.ts";
import { currentVersion, openRelease, type OpenRelease } from "#agent/sites/open-release.ts";
import { type PageStatus, sendPage } from "#agent/sites/pages.ts";

/** How often a request is retried with the release that replaced the one it started with. */
const MAX_RELEASES = 5;

/** `gone`: the file was deleted before its first byte was sent, so another answer is still possible. */
type SendOutcome = "sent" | "gone";

/** Answers one request from the project's current release. Never throws. */
export async function serveSite(
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Real paths are compared below, so the project's real path is needed too.
  const project = await realpath(directory).catch(() => directory);
  response.setHeader("X-Content-Type-Options", "nosniff");
  for (let tries = 1; tries <= MAX_RELEASES; tries += 1) {
    const release = await openRelease(project);
    if (release === null) return sendPage(response, 503);
    response.setHeader("Gantry-Release", release.version);
    if (!release.isPublished) return sendPage(response, "server");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      return sendPage(response, 405);
    }
    const [urlPath, query] = splitQuery(request.url ?? "/");
    const found = await findFile(project, release, urlPath, request.headers.accept);
    if (await answer(found, release, query, request, response)) return;
    // The file may be missing because its release failed and was deleted after the switch back: then retry.
    if ((await currentVersion(project)) !== release.version) continue;
    if (await sendEarlierAsset(project, request, response)) return;
    return sendNotFound(project, release, request, response);
  }
  sendPage(response, 503);
}

async function answer(
  found: Found,
  release: OpenRelease,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  switch (found.kind) {
    case "malformed":
      sendPage(response, 400);
      return true;
    case "redirect":
      response.statusCode = 308;
      response.setHeader("Location", found.location + query);
      // The page may have another address in the next release.
      response.setHeader("Cache-Control", "no-cache");
      response.setHeader("Content-Length", 0);
      response.end();
      return true;
    case "missing":
      return false;
    case "file":
    case "fallback":
      response.setHeader("ETag", etagOf(release, found.stats));
      response.setHeader(
        "Cache-Control",
        found.kind === "file" && isImmutable(found.urlPath) ? IMMUTABLE : REVALIDATE,
      );
      return (await sendFile(found.path, found.urlPath, request, response, { ranges: true })) === "sent";
  }
}

/**
 * Sends the file of an earlier release that has a hash in its name, for a browser with an older page.
 * @returns false if there is none
 */
export async function sendEarlierAsset(
  directory: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const parts = visibleParts(splitQuery(request.url ?? "/")[0]);
  const found = parts === null ? null : await findEarlierAsset(join(directory, "assets"), parts);
  if (found === null) return false;
  response.removeHeader("ETag");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Gantry-Release", found.version);
  response.setHeader("Cache-Control", IMMUTABLE);
  return (await sendFile(found.path, found.urlPath, request, response, { ranges: false })) === "sent";
}

async function sendNotFound(
  project: string,
  release: OpenRelease,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.removeHeader("ETag");
  const page = await findNotFoundPage(project, release);
  if (page !== null) {
    response.statusCode = 404;
    response.setHeader("Cache-Control", REVALIDATE);
    if ((await sendFile(page.path, page.urlPath, request, response, { ranges: false })) === "sent") return;
  }
  sendPage(response, 404);
}

/**
 * The ETag contains the release's version, because exported files can have equal sizes and times in two releases.
 * There is no Last-Modified for the same reason; it would also go back in time with a rollback.
 */
function etagOf(release: OpenRelease, stats: Stats): string {
  return `W/"${release.version}-${stats.size.toString(16)}-${Math.trunc(stats.mtimeMs).toString(16)}"`;
}

/** @param urlPath where the file is in the site, decoded */
function sendFile(
  path: string,
  urlPath: string,
  request: IncomingMessage,
  response: ServerResponse,
  { ranges }: { ranges: boolean },
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    response.once("close", () => resolve("sent"));
    const type = contentTypeOf(urlPath);
    if (type !== null) response.setHeader("Content-Type", type);
    send(request, encoded, {
      // findFile has decided already which files may be sent.
      dotfiles: "allow",
      index: false,
      etag: false,
      lastModified: false,
      cacheControl: false,
      acceptRanges: ranges,
    })
      .on("error", (error: { status?: number }) => {
        if (response.headersSent) {
          response.destroy();
          return;
        }
        for (const name of ["Content-Length", "Content-Type"]) response.removeHeader(name);
        response.statusCode = 200;
        if (error.status === 404) return resolve("gone");
        sendPage(response, pageStatusOf(error.status));
      })
      .pipe(response);
  });
}

function pageStatusOf(status: number | undefined): PageStatus {
  return status === 400 || status === 412 || status === 416 ? status : 500;
}

/** @returns the path, and the query with its question mark */
function splitQuery(url: string): [string, string] {
  const at = url.indexOf("?");
  return at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at)];
}
