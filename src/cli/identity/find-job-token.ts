import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, sep } from "node:path";

import { isTemporary, retryDelayMs } from "#client/retry.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import type { CommandContext } from "#cli/context.ts";
import {
  type CachedToken,
  cachedTokenOf,
  readCachedToken,
  writeCachedToken,
} from "#cli/identity/cached-token.ts";
import { exchangeIdentity, readTrustRule } from "#cli/identity/exchange-identity.ts";
import { findIdentityToken, isInJob } from "#cli/identity/find-identity-token.ts";
import type { Result } from "#cli/outcome.ts";
import { tokenUrl } from "#cli/settings/installation-url.ts";
import { variable } from "#cli/settings/variable.ts";
import { attempt } from "#node/attempt.ts";

/** How long the exchange is tried again, unless --wait says otherwise. */
const RETRY_MS = 10_000;

/** Longer than any token of a job. */
const OLD_MS = 3 * 60 * 60 * 1000;

/**
 * Exchanges the identity token of the job in which the command runs for a token. null: it runs in no job.
 * @param url of the installation, from GANTRY_URL or --url; never from a link file, which anyone can write
 */
export async function findJobToken(context: CommandContext, url: string): Promise<Result<string> | null> {
  const { environment, global, output, signal } = context;
  if (!isInJob(environment)) return null;
  const safe = tokenUrl(url);
  if (!safe.ok) return safe;
  const rule = readTrustRule(environment);
  if (!rule.ok) return rule;
  const retryMs = global.wait === null ? RETRY_MS : Number(global.wait) * 1000;
  const until = performance.now() + retryMs;
  for (let failures = 1; ; failures += 1) {
    // GitHub and Buildkite make another identity token for each try: the first one may have been exchanged.
    const identity = await findIdentityToken(context, new URL(url).origin);
    if (identity === null || !identity.ok) return identity;
    const { token, isOnlyToken } = identity.value;
    const path = isOnlyToken ? cachePath(context, url, token) : null;
    const cached = path === null ? null : await readCachedToken(path);
    if (cached !== null) return succeed(cached.token);
    const exchanged = await exchangeIdentity(url, token, rule.value, signal);
    // Another command of the job may be exchanging the same identity token.
    const isUsed = !exchanged.ok && exchanged.problem.code === "invalid_identity_token";
    const others = isUsed && path !== null ? await waitForCachedToken(path, signal) : null;
    if (others !== null) return succeed(others.token);
    if (exchanged.ok) {
      if (path !== null) await cacheToken(path, cachedTokenOf(exchanged.value));
      return succeed(exchanged.value.access_token);
    }
    const { problem, retryAfterMs = 0 } = exchanged;
    const ms = Math.max(retryDelayMs(failures), retryAfterMs);
    const isTooLate = performance.now() + ms > until || signal.aborted;
    if (isTooLate || !isTemporary(problem.status)) return exchanged;
    output.note(`${problem.detail} Trying again.`);
    await pause(ms, signal);
  }
}

/**
 * Where the token of a job is cached: a file named after the identity token, which no other user can guess. Never in the
 * working folder, of which the CI system may store files.
 */
function cachePath({ environment, folder }: CommandContext, url: string, identity: string): string | null {
  const given = variable(environment, "XDG_CACHE_HOME");
  const isUsable = given !== null && isAbsolute(given) && !isWithin(folder, given);
  const base = isUsable ? given : join(attempt(homedir, ""), ".cache");
  if (isWithin(folder, base)) return null;
  const name = createHash("sha256")
    .update(JSON.stringify([url, identity]))
    .digest("hex");
  return isAbsolute(base) ? join(base, "gantry", "jobs", `${name}.json`) : null;
}

function isWithin(folder: string, path: string): boolean {
  return `${path}${sep}`.startsWith(`${folder}${sep}`);
}

const WAIT_MS = 500;
const MOST_WAITS = 4;

/** The token that another command caches within two seconds; null: none does. */
async function waitForCachedToken(path: string, signal: AbortSignal): Promise<CachedToken | null> {
  for (let waits = 0; waits < MOST_WAITS && !signal.aborted; waits += 1) {
    const cached = await readCachedToken(path);
    if (cached !== null) return cached;
    await pause(WAIT_MS, signal);
  }
  return null;
}

/** Removes the tokens of earlier jobs. A runner on a machine of yours keeps its files. */
async function removeOldTokens(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > OLD_MS) await rm(path, { force: true });
  }
}

/** If the cache cannot be written, the job's next command cannot exchange its only identity token again. */
async function cacheToken(path: string, token: CachedToken): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await removeOldTokens(dirname(path));
    await writeCachedToken(path, token);
  } catch {
    // This command has its token.
  }
}
