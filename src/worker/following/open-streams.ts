import type { TokenId } from "#contract/ids.ts";
import { MAX_OF_TOKEN } from "#worker/following/follower-limits.ts";

/**
 * The event streams that each token has open in this isolate, whatever they follow. Counting costs no round trip, but
 * leaves out the streams of other isolates. Each object counts its own followers too.
 */
export class OpenStreams {
  /** When each stream ends at the latest: an invocation that is killed does not report the end of its stream. */
  readonly #ends = new Map<TokenId, Set<{ readonly at: number }>>();

  /** Whether the token must not open another stream. @param now Unix milliseconds */
  isFull(tokenId: TokenId, now: number): boolean {
    const ends = this.#ends.get(tokenId);
    if (ends === undefined || ends.size < MAX_OF_TOKEN) return false;
    for (const end of ends) if (end.at <= now) ends.delete(end);
    return ends.size >= MAX_OF_TOKEN;
  }

  /** @param endsAt when the stream ends at the latest, in Unix milliseconds. @returns to be called at its end */
  open(tokenId: TokenId, endsAt: number): () => void {
    const ends = this.#ends.get(tokenId) ?? new Set();
    const end = { at: endsAt };
    this.#ends.set(tokenId, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0) this.#ends.delete(tokenId);
    };
  }
}
