import type { Context as HonoContext } from "hono";

import { isDashboardPage } from "#contract/dashboard-pages.ts";
import { dashboardPaths } from "#contract/public-paths.ts";
import type { App, AppEnv } from "#worker/http/app.ts";
import { pageResponse, wantsPage } from "#worker/http/page-response.ts";

/** A file name with a hash of its content, from esbuild. The icon has none, because it may change with a release. */
const HASHED = /-[0-9A-Z]{8}\.\w+$/;

/** Serves the dashboard, which is built with the Worker. */
export function routeDashboard(app: App): void {
  app.get(dashboardPaths.files, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    // A page of an older build may request a file that no longer exists. It must not get the dashboard's page instead.
    if (!file.ok && file.status !== 304) return c.notFound();
    if (HASHED.test(c.req.path)) c.set("isImmutable", true);
    return file;
  });
  // A browser is led to the dashboard. A program gets the 404 problem, which names the reference.
  app.get("/", (c, next) => (wantsPage(c.req.raw) ? c.redirect(`${dashboardPaths.root}/`) : next()));
  app.get(dashboardPaths.root, (c) => c.redirect(`${dashboardPaths.root}/`, 307));
  // Every address gets the same page. Its script decides what to show, also for an unknown address.
  app.get(dashboardPaths.page, async (c) => {
    const isPage = isDashboardPage(c.req.path);
    const known = isPage ? c.req.header("if-none-match") : undefined;
    const page = await c.env.ASSETS.fetch(pageRequest(c, known));
    return pageResponse(page, isPage ? page.status : 404);
  });
}

function pageRequest(c: HonoContext<AppEnv>, known: string | undefined): Request {
  const headers = known === undefined ? {} : { "if-none-match": known };
  return new Request(new URL(`${dashboardPaths.root}/`, c.req.url), { method: c.req.method, headers });
}
