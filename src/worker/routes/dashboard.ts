import type { Context as HonoContext } from "hono";

import { dashboardPaths } from "#contract/dashboard-paths.ts";
import type { App, AppEnv } from "#worker/http/app.ts";
import { assetResponse } from "#worker/http/asset-response.ts";

/** The dashboard takes everything from where it is itself, and speaks with nobody else. Nothing in it is text that runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** A name that esbuild has made of the content. The icon keeps its own, and may be another one after a release. */
const HASHED = /-[0-9A-Z]{8}\.\w+$/;

/** The dashboard: files that were made when the Worker was built. */
export function routeDashboard(app: App): void {
  app.get(dashboardPaths.files, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    // An older page may ask for a file of its own build that is no more: that must not look like a page.
    if (!file.ok && file.status !== 304) return c.notFound();
    if (HASHED.test(c.req.path)) c.set("isForGood", true);
    return file;
  });
  app.get(dashboardPaths.root, (c) => c.redirect(`${dashboardPaths.root}/`, 307));
  // One page for every address: which part of it is shown, its script decides.
  app.get(dashboardPaths.page, async (c) =>
    assetResponse(await c.env.ASSETS.fetch(pageRequest(c)), {
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    }),
  );
}

function pageRequest(c: HonoContext<AppEnv>): Request {
  const known = c.req.header("if-none-match");
  const headers = known === undefined ? {} : { "if-none-match": known };
  return new Request(new URL(`${dashboardPaths.root}/`, c.req.url), { method: c.req.method, headers });
}
