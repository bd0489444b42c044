import type { ArtifactDigest } from "#contract/artifact.ts";
import { isSamePart, type QuotaPart } from "#domain/lane/artifact-quota.ts";

/** How long a part may be under way, in milliseconds: 32 MiB at some 300 kbit/s. */
const RESERVED_MS = 15 * 60_000;

/**
 * The parts that senders were allowed to store a short time ago: R2 may not have them yet. Not stored: after an end of the object,
 * the few parts that are under way do not count.
 */
export class PartReservations {
  #reserved: readonly (QuotaPart & { readonly until: number })[] = [];

  /** Parts in R2 together with the parts that are under way, each once. @param now Unix milliseconds */
  with(stored: readonly QuotaPart[], now: number): readonly QuotaPart[] {
    this.#reserved = this.#reserved.filter(({ until }) => until > now);
    const missing = this.#reserved.filter((one) => !stored.some((other) => isSamePart(one, other)));
    return [...stored, ...missing];
  }

  add(part: QuotaPart, now: number): void {
    const others = this.#reserved.filter((one) => !isSamePart(one, part));
    this.#reserved = [...others, { ...part, until: now + RESERVED_MS }];
  }

  /** The build was removed from R2. */
  forget(sha256: ArtifactDigest): void {
    this.#reserved = this.#reserved.filter((one) => one.sha256 !== sha256);
  }
}
