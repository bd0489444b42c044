import type { RequestPlace } from "#domain/nearest-region.ts";

/** Where Cloudflare says that a request comes from. `npm start` says nothing. */
export function placeOf({ cf }: Request): RequestPlace {
  const text = (name: string) => (typeof cf?.[name] === "string" ? cf[name] : null);
  return { continent: text("continent"), longitude: text("longitude") };
}
