import type { Context as HonoContext, Next } from "hono";

import {
  agentFilePaths,
  COMMAND_PACKAGE_PATH,
  dashboardPaths,
  isBelow,
  referencePaths,
} from "#contract/public-paths.ts";
import { isOpenToOthers } from "#contract/loopback.ts";
import { refuse } from "#contract/problems.ts";
import type { AppEnv } from "#worker/http/app.ts";
import { problemResponse } from "#worker/http/problem-response.ts";
import { isKnownPlain, publicOrigin } from "#worker/http/public-origin.ts";

const insecure = refuse(
  "https_required",
  "This request used plain HTTP, which others can read and change. Use https://. If it contained a token, rotate the token. A proxy that terminates TLS must send X-Forwarded-Proto: https.",
);

/**
 * Sets the address of this installation, and refuses plain HTTP for requests with a token and files that run on a
 * server. Redirects pages of the dashboard and the documentation, which both take tokens, to HTTPS, unless the redirect
 * could come back here.
 */
export async function requireHttps(c: HonoContext<AppEnv>, next: Next): Promise<Response | void> {
  const addressed = c.get("addressed");
  const origin = publicOrigin(c.env.PUBLIC_URL, addressed);
  c.set("origin", origin.ok ? origin.value : addressed.origin);
  if (!origin.ok) {
    console.error(
      JSON.stringify({ level: "error", what: "read PUBLIC_URL", message: origin.refusal.detail }),
    );
    return problemResponse(c, origin.refusal);
  }
  if (!isOpenToOthers(addressed)) return await next();
  const { path } = c.req;
  const hasToken = c.req.header("authorization") !== undefined;
  const isPage = isBelow(path, dashboardPaths.root) || isBelow(path, "/docs");
  if (isPage && !hasToken && isKnownPlain(c.req.raw)) return c.redirect(secureAddress(c, addressed), 307);
  if (isPage || needsHttps(path) || hasToken) return problemResponse(c, insecure.refusal);
  return await next();
}

/** The API, which takes tokens, and the programs that servers and people run. The reference is public. */
function needsHttps(path: string): boolean {
  if (referencePaths.some((open) => open === path)) return false;
  const isProgram = path === agentFilePaths.installer || path === COMMAND_PACKAGE_PATH;
  return isProgram || isBelow(path, "/v1") || isBelow(path, "/agent");
}

function secureAddress(c: HonoContext<AppEnv>, addressed: URL): string {
  const secure = new URL(addressed);
  secure.protocol = "https:";
  const { pathname, search } = addressed;
  return c.env.PUBLIC_URL === "" ? secure.href : `${c.get("origin")}${pathname}${search}`;
}
