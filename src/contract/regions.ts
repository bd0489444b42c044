import * as z from "zod/mini";

/**
 * Where an object of the control plane is created: Cloudflare's location hints. It has no data centers for objects in
 * `sam`, `afr` and `me` yet, and then chooses the nearest that it has.
 */
export const Region = z.enum(["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"]);
export type Region = z.infer<typeof Region>;

/** Cloudflare's jurisdictions in which an installation can keep its data: the European Union or the United States. */
export const Jurisdiction = z.enum(["eu", "us"]);
export type Jurisdiction = z.infer<typeof Jurisdiction>;

/** The regions in each jurisdiction. */
export const regionsIn = {
  eu: ["weur", "eeur"],
  us: ["wnam", "enam"],
} satisfies Record<Jurisdiction, readonly Region[]>;
