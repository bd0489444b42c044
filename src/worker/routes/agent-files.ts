import { agentFilePaths } from "#contract/agent-files.ts";
import type { App } from "#worker/http/app.ts";

/** What may stand between quotes in a shell script: a host can be named by whoever asks. */
const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]+$/;

/** The agent and its installer: files that were made when the Worker was built. */
export function routeAgentFiles(app: App): void {
  app.get(agentFilePaths.installer, async (c) => {
    const { origin } = c.var;
    if (!PLAIN_ORIGIN.test(origin)) return c.notFound();
    // Without the request's own conditions: the file here is not what was sent before.
    const file = await c.env.ASSETS.fetch(new Request(c.req.url));
    if (!file.ok) return c.notFound();
    // Not text(), which warns of what is not named a text.
    const script = new TextDecoder().decode(await file.arrayBuffer()).replaceAll("@ORIGIN@", origin);
    return c.text(script, 200, { "content-type": "text/plain; charset=UTF-8" });
  });
  app.get(agentFilePaths.agent, async (c) => {
    const file = await c.env.ASSETS.fetch(c.req.raw);
    return file.status === 404 ? c.notFound() : file;
  });
}
