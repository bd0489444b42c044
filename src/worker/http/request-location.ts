import type { RequestLocation } from "#domain/nearest-region.ts";

/** Where a request comes from, as Cloudflare reports it. Under `npm start` nothing is known. */
export function requestLocation({ cf }: Request): RequestLocation {
  const text = (name: string) => (typeof cf?.[name] === "string" ? cf[name] : null);
  return { continent: text("continent"), longitude: text("longitude") };
}
