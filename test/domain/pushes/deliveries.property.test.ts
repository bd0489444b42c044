import fc from "fast-check";
import { expect, it } from "vitest";

import { DeployOn } from "#contract/endpoints/projects/deploy-on.ts";
import { decidePush } from "#domain/pushes/decide-push.ts";
import type { Push } from "#domain/pushes/push.ts";

const rules = { deployOn: DeployOn.parse({ paths: ["apps/shop"] }), branch: "main" };
const hashOf = (commit: number) => String(commit).padStart(40, "0");

/** Each commit changes a file that counts, or a file that does not count. */
const histories = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
/** Pushes one more commit, or delivers one of the pushes so far: late, again, in any order, or never. */
const steps = fc.array(fc.oneof(fc.constant("push" as const), fc.nat(11)), { maxLength: 40 });

/** A branch, and a project that deploys it. Commit 0 is live at first. */
class World {
  readonly #counts: readonly boolean[];
  #tip = 0;
  #live = 0;
  /** What paths skipped, with the commit that was live then. */
  readonly #skipped: { readonly live: number; readonly commit: number }[] = [];
  readonly #pushes: { readonly before: number; readonly after: number }[] = [];

  constructor(counts: readonly boolean[]) {
    this.#counts = counts;
  }

  push(): void {
    if (this.#tip === this.#counts.length) return;
    this.#pushes.push({ before: this.#tip, after: this.#tip + 1 });
    this.#tip += 1;
  }

  deliver(at: number): void {
    const push = this.#pushes[at % Math.max(1, this.#pushes.length)];
    if (push === undefined) return;
    const path = this.#counts[push.before] === true ? "apps/shop/index.ts" : "docs/index.md";
    this.#receivePush(push.before, push.after, [path]);
  }

  /** What the server's agent finds: it does not know which files have changed. */
  poll(): void {
    this.#receivePush(null, this.#tip, null);
  }

  #receivePush(before: number | null, after: number, paths: readonly string[] | null): void {
    const same = this.#skipped.filter(({ live }) => live === this.#live);
    const push: Push = {
      ref: "refs/heads/main",
      before: before === null ? null : hashOf(before),
      after: hashOf(after),
      message: null,
      pusher: null,
      paths,
    };
    const sameAs = new Set(same.map(({ commit }) => hashOf(commit)));
    const { decision, reason } = decidePush(rules, push, { commit: hashOf(this.#live), sameAs }, false);
    if (reason === "paths_unchanged") this.#skipped.push({ live: this.#live, commit: after });
    // Not the pushed commit: what the branch points to now.
    if (decision === "deployed") this.#live = this.#tip;
  }

  /** Whether the live commit differs from the tip in a file that counts. */
  isBehind(): boolean {
    return this.#counts.slice(this.#live, this.#tip).includes(true);
  }

  deliverNewest(): void {
    this.deliver(Math.max(0, this.#pushes.length - 1));
  }

  /** Delivers each push that was not delivered yet, last ones first. */
  deliverAll(): void {
    for (let at = this.#pushes.length - 1; at >= 0; at -= 1) this.deliver(at);
  }
}

function worldAfter(counts: readonly boolean[], taken: readonly ("push" | number)[]): World {
  const world = new World(counts);
  for (const step of taken) {
    if (step === "push") world.push();
    else world.deliver(step);
  }
  return world;
}

it("ends with the tip live if each push arrives at last, in any order and any number of times", () => {
  fc.assert(
    fc.property(histories, steps, (counts, taken) => {
      const world = worldAfter(counts, taken);
      world.deliverAll();
      expect(world.isBehind()).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});

it("ends with the tip live if only the newest push arrives at last, and others were lost", () => {
  fc.assert(
    fc.property(histories, steps, (counts, taken) => {
      const world = worldAfter(counts, taken);
      world.deliverNewest();
      expect(world.isBehind()).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});

it("ends with the tip live if pushes are lost and the server's agent looks at last", () => {
  fc.assert(
    fc.property(histories, steps, (counts, taken) => {
      const world = worldAfter(counts, taken);
      world.poll();
      expect(world.isBehind()).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});
