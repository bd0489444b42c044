import * as z from "zod/mini";

import { parseJson } from "#contract/parse-json.ts";
import { readStored } from "#docs/stored.ts";

/** Where the dashboard keeps its session. */
const DASHBOARD_KEY = "gantry.session";
const Session = z.object({ token: z.string() });

let pasted: string | null = null;

/** The token that the reader pasted on this page. It is kept in memory only. */
export function pastedToken(): string | null {
  return pasted;
}

export function keepPasted(token: string): void {
  pasted = token.trim() === "" ? null : token.trim();
}

/** The token with which the reader is signed in to the dashboard of this installation; null if not. */
export function dashboardToken(): string | null {
  const session = Session.safeParse(parseJson(readStored(DASHBOARD_KEY) ?? ""));
  return session.success ? session.data.token : null;
}
