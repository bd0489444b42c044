import type { JWKSCacheInput } from "oauth4webapi";

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import {
  discover,
  type DiscoveryProblem,
  type ProviderMetadata,
} from "#worker/identity/providers/open-id-discovery.ts";
import type { Reach } from "#worker/identity/providers/provider-exchange.ts";

const FRESH_MS = 10 * 60_000;
/** A provider that is down is not asked for each sign-in that strangers start. */
const FAILED_MS = 5_000;
/** The most providers that are kept. */
const MAX_PROVIDERS = 100;

/** `keys`: the cache of the provider's keys, which the library fills. */
export type Configuration = { readonly metadata: ProviderMetadata; readonly keys: JWKSCacheInput };

type Found = ResultOf<Configuration, DiscoveryProblem>;

/** What providers say of themselves. One instance per isolate. */
export class OpenIdConfigurations {
  readonly #entries = new Map<string, { readonly found: Found; readonly until: number }>();

  /** The configuration of a provider. It is read again after ten minutes. */
  async of(issuer: string, reach: Reach): Promise<Found> {
    const entry = this.#entries.get(issuer);
    if (entry !== undefined && reach.now < entry.until) return entry.found;
    return await this.readAgain(issuer, reach);
  }

  /** As `of`, of the provider itself. */
  async readAgain(issuer: string, { now, targetProblem }: Reach): Promise<Found> {
    const read = await discover(issuer, targetProblem);
    const found = read.ok ? succeed({ metadata: read.value, keys: {} }) : read;
    this.#entries.delete(issuer);
    this.#entries.set(issuer, { found, until: now + (found.ok ? FRESH_MS : FAILED_MS) });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_PROVIDERS && oldest !== undefined) this.#entries.delete(oldest);
    return found;
  }
}
