import { readFile } from "node:fs/promises";

import * as z from "zod/mini";

import type { ExchangedToken } from "#contract/endpoints/trust-rules/schemas.ts";
import { parseJson } from "#contract/parse-json.ts";
import { isReadByOthers } from "#cli/settings/config-file.ts";
import { writeAtomic } from "#node/write-atomic.ts";

/** A cached token is not used in its last minute. */
const MARGIN_MS = 60_000;

const CachedToken = z.object({ token: z.string(), expires_at: z.number() });
/** The token of a job, as its file has it. `expires_at`: in Unix milliseconds. */
export type CachedToken = z.infer<typeof CachedToken>;

/** The token that an identity token was exchanged for, just now. */
export function cachedTokenOf({ access_token: token, expires_in: seconds }: ExchangedToken): CachedToken {
  return { token, expires_at: Date.now() + seconds * 1000 };
}

/** Whether a token has not expired, and will not soon. */
export function isUsable({ expires_at: expiresAt }: CachedToken): boolean {
  return expiresAt > Date.now() + MARGIN_MS;
}

/** The token in a file; null: there is none that is usable, or others could have read it. */
export async function readCachedToken(path: string): Promise<CachedToken | null> {
  if (await isReadByOthers(path)) return null;
  const cached = CachedToken.safeParse(parseJson(await readFile(path, "utf8").catch(() => "")));
  return cached.success && isUsable(cached.data) ? cached.data : null;
}

/** Writes a file that only this user can read. @throws the file system's error */
export async function writeCachedToken(path: string, token: CachedToken): Promise<void> {
  await writeAtomic(path, JSON.stringify(token), { mode: 0o600, uniqueDraft: true });
}
