import { fromBase64Url, toBase64Url } from "#sealing/bytes.ts";
import type { Database } from "#worker/db/database-session.ts";
import { addInstallationKey, findInstallationKey } from "#worker/db/installation-keys.ts";
import { TtlCache } from "#worker/http/ttl-cache.ts";
import { importChallengeKey } from "#worker/identity/passkeys/challenge.ts";

const NAME = "challenges";
const KEY_BYTES = 32;

/** So that an isolate has the key of the database again, soon after the database was restored to a time before the key. */
const cache = new TtlCache<CryptoKey>({ forMs: 10 * 60_000, atMost: 1 });

/** The installation's key for challenges. One read in ten minutes; the first use of all makes the key. @param now Unix milliseconds */
export async function findChallengeKey(
  database: Database,
  { now, randomBytes }: { readonly now: number; readonly randomBytes: (count: number) => Uint8Array },
): Promise<CryptoKey> {
  const key = await cache.get(NAME, now, async () => {
    const stored = (await findInstallationKey(database, NAME)) ?? (await makeKey(database, randomBytes));
    const secret = stored === null ? null : fromBase64Url(stored);
    return secret === null ? null : await importChallengeKey(secret);
  });
  if (key === null) throw new Error("the key for challenges cannot be read");
  return key;
}

async function makeKey(
  database: Database,
  randomBytes: (count: number) => Uint8Array,
): Promise<string | null> {
  await addInstallationKey(database, { name: NAME, secret: toBase64Url(randomBytes(KEY_BYTES)) });
  return await findInstallationKey(database, NAME);
}
