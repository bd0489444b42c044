import type { Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";

import send from "send";

import { findEarlierAsset } from "#agent/ingress/earlier-assets.ts";
import { IMMUTABLE, isImmutable, REVALIDATE } from "#agent/ingress/caching.ts";
import { findHeaders } from "#agent/ingress/custom-headers.ts";
import { findRedirect, locationOf, type Redirect } from "#agent/ingress/redirects.ts";
import {
  findFallback,
  findFile,
  findNotFoundPage,
  readPath,
  type SiteFound,
  type SitePath,
  visibleParts,
} from "#agent/sites/find-file.ts";
import { acceptsCoding, type Coding, packedAs } from "#agent/ingress/packed-files.ts";
import { contentTypeOf } from "#agent/ingress/content-types.ts";
import { currentVersion, openRelease, type OpenRelease } from "#agent/sites/open-release.ts";
import { type PageStatus, sendPage } from "#agent/sites/pages.ts";
import { encodePath } from "#build/site-rules/path-pattern.ts";
import { isShown } from "#build/site-rules/rule-schemas.ts";

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
    const asked = readAsked(request);
    if (asked === null) return sendPage(response, 400);
    const exchange = { project, release, asked, request, response };
    if (await answer(exchange)) return;
    // The file may be missing because its release failed and was deleted after the switch back: then retry.
    if ((await currentVersion(project)) !== release.version) continue;
    if (await sendEarlierAsset(project, request, response)) return;
    return sendNotFound(exchange);
  }
  sendPage(response, 503);
}

/** A request to a site. `query`: with its question mark. `isRead`: whether a file can answer it. */
type Asked = SitePath & { readonly host: string; readonly query: string; readonly isRead: boolean };

type Exchange = {
  readonly project: string;
  readonly release: OpenRelease;
  readonly asked: Asked;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** @returns null if its path is not valid */
function readAsked({ url = "/", method, headers }: IncomingMessage): Asked | null {
  const at = url.indexOf("?");
  const path = readPath(at === -1 ? url : url.slice(0, at));
  if (path === null) return null;
  const host = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  return {
    ...path,
    host,
    query: at === -1 ? "" : url.slice(at),
    isRead: method === "GET" || method === "HEAD",
  };
}

/** @returns false if nothing is found, or the file has just been deleted */
async function answer(exchange: Exchange): Promise<boolean> {
  const { project, release, asked, request, response } = exchange;
  const redirect = findRedirect(release.rules.redirects ?? [], { ...asked, path: encodePath(pathOf(asked)) });
  const shows = redirect !== null && isShown(redirect.status);
  if (redirect?.force === true && (await follow(exchange, redirect))) return true;
  // A page that a rule shows by force replaces that of the path.
  if (asked.isRead && !(redirect?.force === true && shows)) {
    const mode = release.rules.trailing_slash;
    const found = await findFile(project, release, asked, mode, acceptEncodingOf(request));
    switch (found.kind) {
      case "file":
        return sendFound(exchange, found, isImmutable(found.urlPath) ? IMMUTABLE : REVALIDATE);
      case "redirect":
        sendRedirect(response, 308, found.location + asked.query);
        return true;
      case "missing":
    }
  }
  // A rule such as /* for missing pages must not answer for the scripts of an older page.
  if (redirect !== null && asked.isRead && (await sendEarlierAsset(project, request, response))) return true;
  if (redirect?.force === false && (await follow(exchange, redirect))) return true;
  if (!asked.isRead) {
    response.setHeader("Allow", "GET, HEAD");
    sendPage(response, 405);
    return true;
  }
  if (shows) return false;
  const fallback = await findFallback(project, release, asked, request.headers.accept);
  return fallback !== null && sendFound(exchange, fallback, REVALIDATE);
}

/** Does what a rule says. @returns false if it shows a page that is missing */
async function follow(exchange: Exchange, redirect: Redirect): Promise<boolean> {
  const { project, release, asked, request, response } = exchange;
  const { status } = redirect;
  if (!isShown(status)) {
    sendRedirect(response, status, locationOf(redirect, asked.query));
    return true;
  }
  const path = asked.isRead ? readPath(redirect.target) : null;
  const found =
    path === null ? null : await findFile(project, release, path, "ignore", acceptEncodingOf(request));
  if (found?.kind !== "file") return false;
  // The address has no hash, whatever the name of the file is.
  if (status === 200) return sendFound(exchange, found, REVALIDATE);
  setHeaders(exchange, false);
  response.statusCode = status;
  response.setHeader("Cache-Control", REVALIDATE);
  return (
    (await sendFile(found.path, found.urlPath, request, response, { ranges: false }, found.coding)) === "sent"
  );
}

/** @returns false if the file has just been deleted */
async function sendFound(exchange: Exchange, found: SiteFound, caching: string): Promise<boolean> {
  const { release, request, response } = exchange;
  response.setHeader("ETag", etagOf(release, found.stats));
  response.setHeader("Cache-Control", caching);
  setHeaders(exchange, true);
  return (
    (await sendFile(found.path, found.urlPath, request, response, { ranges: true }, found.coding)) === "sent"
  );
}

/** Not for longer than a request: the next release may answer otherwise. */
function sendRedirect(response: ServerResponse, status: number, location: string): void {
  response.statusCode = status;
  response.setHeader("Location", location);
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("Content-Length", 0);
  response.end();
}

/** Changes the headers by the rules of the release. */
function setHeaders({ release, asked, response }: Exchange, isFound: boolean): void {
  const changes = findHeaders(release.rules.headers ?? [], {
    host: asked.host,
    path: pathOf(asked),
    isFound,
  });
  for (const [name, value] of changes)
    if (value === null) response.removeHeader(name);
    // Node writes each character as one byte.
    else response.setHeader(name, Buffer.from(value).toString("latin1"));
}

/** The path, decoded. */
function pathOf({ parts, hasSlash }: SitePath): string {
  return `/${parts.join("/")}${hasSlash && parts.length > 0 ? "/" : ""}`;
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
  const parts = visibleParts((request.url ?? "/").replace(/\?.*$/, ""));
  const found = parts === null ? null : await findEarlierAsset(join(directory, "assets"), parts);
  if (found === null) return false;
  response.removeHeader("ETag");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Gantry-Release", found.version);
  response.setHeader("Cache-Control", IMMUTABLE);
  return (await sendFile(found.path, found.urlPath, request, response, { ranges: false })) === "sent";
}

async function sendNotFound(exchange: Exchange): Promise<void> {
  const { project, release, request, response } = exchange;
  response.removeHeader("ETag");
  setHeaders(exchange, false);
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
  coding?: Coding,
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    response.once("close", () => resolve("sent"));
    // A rule may have set another one.
    const type = setCoding(urlPath, request, response, coding);
    if (type !== null && !response.hasHeader("Content-Type")) response.setHeader("Content-Type", type);
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
        for (const name of ["Content-Length", "Content-Type", "Content-Encoding"])
          response.removeHeader(name);
        response.statusCode = 200;
        if (error.status === 404) return resolve("gone");
        sendPage(response, pageStatusOf(error.status));
      })
      .pipe(response);
  });
}

function acceptEncodingOf({ headers }: IncomingMessage): string {
  const { "accept-encoding": value } = headers;
  return typeof value === "string" ? value : "";
}

/**
 * Says how a file is packed, if the client unpacks it.
 * @param coding of a file that answers for what it contains
 * @returns the type of the answer
 */
function setCoding(
  urlPath: string,
  request: IncomingMessage,
  response: ServerResponse,
  coding: Coding | undefined,
): string | null {
  const packed = coding ?? packedAs(urlPath);
  if (packed === null) return contentTypeOf(urlPath);
  response.appendHeader("Vary", "Accept-Encoding");
  if (!acceptsCoding(packed).test(acceptEncodingOf(request))) return "application/octet-stream";
  response.setHeader("Content-Encoding", packed.name);
  return contentTypeOf(urlPath.slice(0, -packed.ending.length));
}

function pageStatusOf(status: number | undefined): PageStatus {
  return status === 400 || status === 412 || status === 416 ? status : 500;
}
