import { isProblemCode } from "#contract/endpoints/endpoint-facts.ts";
import { referencePaths } from "#contract/reference-paths.ts";
import type { App } from "#worker/http/app.ts";
import { assetResponse } from "#worker/http/asset-response.ts";

/** The pages have no script, and take everything from where they are themselves. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The API reference: files that were made when the Worker was built. */
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
