import type { ArtifactDigest } from "#contract/artifact.ts";
import { PartReservations } from "#worker/objects/project-lane/part-reservations.ts";

/**
 * Which builds of a project starts are about to use, and which are being removed from R2. Not stored: a start and a removal
 * end with the object.
 */
export class BuildLocks {
  /** How many starts are about to use a build. */
  readonly #used = new Map<ArtifactDigest, number>();
  readonly #removals = new Map<ArtifactDigest, Promise<void>>();
  readonly uploads = new PartReservations();

  /** Whether a start is about to use a build, so that it must not be removed. */
  isUsed(sha256: ArtifactDigest): boolean {
    return this.#used.has(sha256);
  }

  /** Uses a build once it is not being removed. It is not removed meanwhile. */
  async use<Value>(sha256: ArtifactDigest, job: () => Promise<Value>): Promise<Value> {
    for (;;) {
      const removal = this.#removals.get(sha256);
      if (removal === undefined) break;
      await removal.catch(() => undefined);
    }
    this.#used.set(sha256, (this.#used.get(sha256) ?? 0) + 1);
    try {
      return await job();
    } finally {
      const left = (this.#used.get(sha256) ?? 1) - 1;
      if (left === 0) this.#used.delete(sha256);
      else this.#used.set(sha256, left);
    }
  }

  /** Removes a build that no start is about to use. Starts wait until the removal has ended. */
  async remove(sha256: ArtifactDigest, job: () => Promise<void>): Promise<void> {
    const removal = job().finally(() => {
      if (this.#removals.get(sha256) === removal) this.#removals.delete(sha256);
      this.uploads.forget(sha256);
    });
    this.#removals.set(sha256, removal);
    await removal;
  }
}
