import * as z from "zod/mini";

/** Where a browser stores the colors that its user has chosen, for the dashboard and the documentation. */
export const APPEARANCE_KEY = "gantry.appearance";

/** `system`: light or dark as the browser prefers. */
export const Appearance = z.enum(["system", "light", "dark"]);
export type Appearance = z.infer<typeof Appearance>;

/** The value of CSS's `color-scheme` for the stored text; empty: the style sheet decides. */
export function colorSchemeOf(stored: string | null): string {
  return stored === "light" || stored === "dark" ? stored : "";
}
