import type { RequestPlace } from "#domain/nearest-region.ts";

/** Where Cloudflare says that a request comes from. A local runtime has an example here, without a country of Tor or such. */
export function placeOf(request: Request): RequestPlace {
  const { cf } = request;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { continent: text(cf?.["continent"]), longitude: text(cf?.["longitude"]) };
}
