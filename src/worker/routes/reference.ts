import { referencePaths } from "#contract/public-paths.ts";
import type { App } from "#worker/http/app.ts";
import { pageResponse } from "#worker/http/page-response.ts";

/** Serves the API reference and the guides, which are built with the Worker. */
export function routeReference(app: App): void {
  for (const path of referencePaths)
    app.get(path, async (c) => {
      const file = await c.env.ASSETS.fetch(c.req.raw);
      return file.status === 404 ? c.notFound() : pageResponse(file);
    });
}
