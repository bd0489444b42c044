import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import { referencePaths } from "#contract/public-paths.ts";
import type { App } from "#worker/http/app.ts";
import { assetResponse } from "#worker/http/asset-response.ts";

/** The pages have no script, and load only from their own origin. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the API reference, which is built with the Worker. */
export function routeReference(app: App): void {
  for (const path of referencePaths)
    app.get(path, async (c) => {
      const code = c.req.param("code");
      if (code !== undefined && !isProblemCode(code)) return c.notFound();
      const file = await c.env.ASSETS.fetch(c.req.raw);
      return assetResponse(file, {
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "referrer-policy": "no-referrer",
      });
    });
}
