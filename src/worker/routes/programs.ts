import { agentFilePaths, COMMAND_PACKAGE_PATH } from "#contract/public-paths.ts";
import type { App } from "#worker/http/app.ts";

/** An origin that is safe between quotes in a shell script. The client chooses the Host header. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/** Serves the agent, its installer and the package of the command, which are built with the Worker. */
export function routePrograms(app: App): void {
  app.get(agentFilePaths.installer, async (c) => {
    const origin = c.get("origin");
    if (!PLAIN_ORIGIN.test(origin)) return c.notFound();
    // Without the request's If-None-Match: that tag is of the script with the origin filled in.
    const file = await c.env.ASSETS.fetch(new Request(c.req.url));
    if (!file.ok) return c.notFound();
    // text() logs a warning if the media type is not text.
    const script = new TextDecoder().decode(await file.arrayBuffer()).replaceAll("@ORIGIN@", origin);
    return c.text(script, 200, { "content-type": "text/plain; charset=UTF-8" });
  });
  for (const path of [agentFilePaths.agent, COMMAND_PACKAGE_PATH])
    app.get(path, async (c) => {
      const file = await c.env.ASSETS.fetch(c.req.raw);
      return file.status === 404 ? c.notFound() : file;
    });
}
