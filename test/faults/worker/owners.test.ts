import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import type { AccountId } from "#contract/ids.ts";
import { createAccount, createToken } from "../../support/worker/account.ts";
import { call, problemOf } from "../../support/worker/call.ts";
import { aroundCalls } from "../../support/worker/intercept.ts";
import { partMethods } from "../../support/worker/parts.ts";
import { recordSignedIn, type SignedIn } from "../../support/worker/record-people.ts";
import { databasePrototypes } from "../../support/worker/statements.ts";

/** A change of a member, by another or by themselves. */
type Change = {
  readonly by: number;
  readonly target: number;
  readonly act: "promote" | "demote" | "remove" | "make viewer";
};

const bodies = {
  promote: { is_owner: true },
  demote: { is_owner: false },
  "make viewer": { grants: [{ role: "viewer" }] },
} as const;

type Person = SignedIn & { readonly personal: string };

const PEOPLE = 4;

const change: fc.Arbitrary<Change> = fc.record({
  by: fc.nat(PEOPLE - 1),
  target: fc.nat(PEOPLE - 1),
  act: fc.constantFrom<Change["act"][]>("demote", "remove", "promote", "make viewer"),
});

/** Some people, of whom so many are owners. What is in one list is sent at the same time. */
const history = fc.record({
  owners: fc.integer({ min: 1, max: PEOPLE }),
  steps: fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
  /** How long the database takes for one call after another, in turns. */
  delays: fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
});

async function recordPerson(accountId: AccountId, at: number, isOwner: boolean): Promise<Person> {
  const grants = [{ role: "admin" as const, projectIds: null, extra: [] }];
  const signedIn = await recordSignedIn(accountId, { name: `Person ${at}`, isOwner, grants });
  const { secret } = await createToken(accountId, { memberId: signedIn.id });
  return { ...signedIn, personal: secret };
}

async function send(people: readonly Person[], { by, target, act }: Change): Promise<Response> {
  const token = people[by]?.token ?? "";
  const path = `/v1/members/${people[target]?.id}`;
  if (act === "remove") return await call(path, { method: "DELETE", token });
  return await call(path, { method: "PATCH", token, body: bodies[act] });
}

async function ownersOf(accountId: AccountId): Promise<number> {
  const found = await env.DB.prepare("SELECT count(*) FROM members WHERE account_id = ? AND is_owner = 1")
    .bind(accountId)
    .first<number>("count(*)");
  return found ?? 0;
}

/** Makes the database take time, so that requests that are sent together cross. @returns ends it */
function delayDatabase(delays: readonly number[]): () => void {
  let calls = 0;
  const stops = partMethods()
    .filter(({ part }) => part === "d1")
    .map(({ owner, method }) =>
      aroundCalls(owner, method, async (original) => {
        calls += 1;
        await scheduler.wait(delays[calls % delays.length] ?? 0);
        return await original();
      }),
    );
  return () => stops.forEach((stop) => stop());
}

const statusOf = async (token: string) => (await call("/v1/account", { token })).status;

describe("changes of members in any order and at the same time", () => {
  it("leave an account that had an owner with one, and removed members nothing", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ owners, steps, delays }) => {
        const { id } = await createAccount();
        const people: Person[] = [];
        for (let at = 0; at < PEOPLE; at += 1) people.push(await recordPerson(id, at, at < owners));
        const removed = new Set<number>();
        for (const step of steps) {
          const end = delayDatabase(delays);
          const answers = await Promise.all(step.map((one) => send(people, one)));
          end();
          for (const [at, { status }] of answers.entries()) {
            const { act, target } = step[at] ?? { act: null, target: -1 };
            expect([200, 204, 401, 403, 404, 409, 503]).toContain(status);
            if (act === "remove" && status === 204) removed.add(target);
          }
          expect(await ownersOf(id)).toBeGreaterThan(0);
          for (const [at, { token, personal }] of people.entries()) {
            const expected = removed.has(at) ? 401 : 200;
            expect([await statusOf(token), await statusOf(personal)]).toEqual([expected, expected]);
          }
        }
      }),
      { numRuns: 12, seed: 7 },
    );
  });

  it.each(["DELETE", "PATCH"] as const)(
    "let only an owner who is signed in change somebody who has just become an owner: %s",
    async (method) => {
      const account = await createAccount();
      const ada = await recordPerson(account.id, 0, true);
      const grace = await recordPerson(account.id, 1, false);
      let isWriting = false;
      let isPromoted = false;
      for (const prototype of databasePrototypes())
        aroundCalls(prototype, "batch", async (original) => {
          const isFirst = !isWriting;
          isWriting = true;
          while (isFirst && !isPromoted) await scheduler.wait(1);
          return await original();
        });
      const path = `/v1/members/${grace.id}`;
      const body = method === "PATCH" ? { grants: [{ role: "viewer" }] } : undefined;
      const sent = call(path, { method, token: account.token, body });
      await vi.waitUntil(() => isWriting);
      const promotion = await call(path, { method: "PATCH", token: ada.token, body: { is_owner: true } });
      expect(promotion.status).toBe(200);
      isPromoted = true;
      expect(await problemOf(await sent)).toMatchObject({ code: "person_required" });
      expect(await ownersOf(account.id)).toBe(2);
      expect(await statusOf(grace.token)).toBe(200);
    },
  );
});
