import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createIdGenerator } from "#contract/ids.ts";
import {
  CHALLENGE_MS,
  checkChallenge,
  type ChallengeUse,
  createChallenge,
  importChallengeKey,
} from "#worker/identity/passkeys/challenge.ts";

const NOW = 1_800_000_000_123;
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const ids = createIdGenerator({ now: () => NOW, randomBytes });
const uses: readonly ChallengeUse[] = [
  { act: "sign_in" },
  { act: "add_passkey", tokenId: ids.token() },
  { act: "confirm", tokenId: ids.token() },
  { act: "confirm", tokenId: ids.token() },
];

const createKey = async () => await importChallengeKey(randomBytes(32));
const create = async (key: CryptoKey, use: ChallengeUse) =>
  await createChallenge(key, use, { now: NOW, randomBytes });

describe("a challenge for a passkey", () => {
  it("counts only for the use and the session that it was made for", async () => {
    const key = await createKey();
    for (const made of uses) {
      const challenge = await create(key, made);
      for (const use of uses) expect((await checkChallenge(key, challenge, use, NOW)).ok).toBe(use === made);
    }
  });

  it("does not count at another installation", async () => {
    const challenge = await create(await createKey(), { act: "sign_in" });
    const checked = await checkChallenge(await createKey(), challenge, { act: "sign_in" }, NOW);
    expect(checked).toEqual({ ok: false, problem: "invalid" });
  });

  it("expires after five minutes", async () => {
    const key = await createKey();
    const challenge = await create(key, { act: "sign_in" });
    const last = await checkChallenge(key, challenge, { act: "sign_in" }, NOW + CHALLENGE_MS);
    expect(last).toMatchObject({ ok: true, value: { expiresAt: 1_800_000_301_000 } });
    const late = await checkChallenge(key, challenge, { act: "sign_in" }, 1_800_000_301_000);
    expect(late).toEqual({ ok: false, problem: "expired" });
  });

  it("has one form, and no other text counts", async () => {
    const key = await createKey();
    const challenge = await create(key, { act: "sign_in" });
    const others = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[A-Za-z0-9_-]{72}$/),
      fc.nat(challenge.length).map((end) => challenge.slice(0, end)),
      fc.stringMatching(/^[A-Za-z0-9_-]{1,4}$/).map((more) => challenge + more),
      fc
        .tuple(fc.nat(challenge.length - 1), fc.stringMatching(/^[A-Za-z0-9_=+/-]$/))
        .map(([at, other]) => challenge.slice(0, at) + other + challenge.slice(at + 1)),
    );
    await fc.assert(
      fc.asyncProperty(others, async (text) => {
        fc.pre(text !== challenge);
        expect(await checkChallenge(key, text, { act: "sign_in" }, NOW)).toEqual({
          ok: false,
          problem: "invalid",
        });
      }),
    );
  });

  it("has a hash of its own, the same each time", async () => {
    const key = await createKey();
    const hashOf = async (challenge: string) => {
      const checked = await checkChallenge(key, challenge, { act: "sign_in" }, NOW);
      return checked.ok ? checked.value.hash : null;
    };
    const [one, other] = [await create(key, { act: "sign_in" }), await create(key, { act: "sign_in" })];
    expect(await hashOf(one)).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf(one)).toBe(await hashOf(one));
    expect(await hashOf(one)).not.toBe(await hashOf(other));
  });
});
