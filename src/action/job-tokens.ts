import { createHash } from "node:crypto";
import { isAbsolute, join } from "node:path";

import { isTemporary, retryDelayMs } from "#client/retry.ts";
import type { TrustRuleId } from "#contract/ids.ts";
import { pause } from "#contract/lib/pause.ts";
import { succeed } from "#contract/lib/result.ts";
import {
  type CachedToken,
  cachedTokenOf,
  isUsable,
  readCachedToken,
  writeCachedToken,
} from "#cli/identity/cached-token.ts";
import { exchangeIdentity, readTrustRule } from "#cli/identity/exchange-identity.ts";
import { findIdentityToken } from "#cli/identity/find-identity-token.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Runner } from "#action/runner.ts";

/** How long an exchange is tried again. */
const RETRY_MS = 60_000;

/** What a token is exchanged for. `rule`: of GANTRY_TRUST_RULE. */
type Trust = { readonly url: string; readonly audience: string; readonly rule: TrustRuleId | null };

/**
 * Tokens for the identity of the job. A token is used until shortly before its end, also by the other parts and steps of the
 * job; a deployment can take longer.
 */
export class JobTokens {
  readonly #runner: Runner;
  readonly #url: string;
  readonly #signal: AbortSignal;
  #token: CachedToken | null = null;
  #pending: Promise<Result<string>> | null = null;

  /** @param signal ends the tries to exchange */
  constructor(runner: Runner, url: string, signal: AbortSignal) {
    this.#runner = runner;
    this.#url = url;
    this.#signal = signal;
  }

  /** A token that has not expired. Concurrent calls get the same. */
  async current(): Promise<Result<string>> {
    if (this.#token !== null && isUsable(this.#token)) return succeed(this.#token.token);
    this.#pending ??= this.#find().finally(() => (this.#pending = null));
    return await this.#pending;
  }

  async #find(): Promise<Result<string>> {
    const rule = readTrustRule(this.#runner.environment);
    if (!rule.ok) return rule;
    const audience = this.#runner.input("audience") ?? new URL(this.#url).origin;
    const trust: Trust = { url: this.#url, audience, rule: rule.value };
    const path = cachePath(this.#runner, trust);
    const cached = path === null ? null : await readCachedToken(path);
    const found =
      cached === null ? await exchangeWithRetry(this.#runner, trust, this.#signal) : succeed(cached);
    if (!found.ok) return found;
    this.#runner.mask(found.value.token);
    if (cached === null && path !== null) await writeCachedToken(path, found.value);
    this.#token = found.value;
    return succeed(found.value.token);
  }
}

async function exchangeWithRetry(
  runner: Runner,
  { url, audience, rule }: Trust,
  canceled: AbortSignal,
): Promise<Result<CachedToken>> {
  const signal = AbortSignal.any([canceled, AbortSignal.timeout(RETRY_MS)]);
  for (let failures = 1; ; failures += 1) {
    // A new identity token for each try: the installation may have accepted the last one, and accepts each once.
    const identity = await findIdentityToken({ environment: runner.environment, signal }, audience);
    if (identity === null)
      return stop(
        "not_signed_in",
        "This job has no identity token. Set the input token, or run the action in a job of GitHub Actions.",
      );
    if (!identity.ok) return identity;
    const exchanged = await exchangeIdentity(url, identity.value.token, rule, signal);
    if (exchanged.ok) return succeed(cachedTokenOf(exchanged.value));
    const { problem, retryAfterMs = 0 } = exchanged;
    if (signal.aborted || !isTemporary(problem.status)) return exchanged;
    runner.line(`${problem.detail} Trying again.`);
    await pause(Math.max(retryDelayMs(failures), retryAfterMs), signal);
  }
}

/**
 * The file with the job's token, in the folder that the runner empties before and after each job. Without a folder, each part
 * of the step gets its own token, and a step that runs again starts another deployment.
 */
function cachePath(runner: Runner, trust: Trust): string | null {
  const folder = runner.variable("RUNNER_TEMP");
  if (folder === null || !isAbsolute(folder)) return null;
  const hash = createHash("sha256").update(JSON.stringify(trust)).digest("hex");
  return join(folder, `gantry-${hash}.json`);
}
