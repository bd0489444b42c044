import { crc32 } from "node:zlib";

import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { undocumented } from "../../openapi/support/expect-documented.ts";
import { document } from "../../openapi/support/open-api.ts";
import { Playground } from "../../openapi/support/playground.ts";
import { requestsFor } from "../../openapi/support/requests.ts";

/** The same requests each time. To look for more: GANTRY_SEED=7 GANTRY_RUNS=500 npm run test:all -- --project walks-openapi */
const seed = Number(process.env["GANTRY_SEED"] ?? 20_261_120);
const numRuns = Number(process.env["GANTRY_RUNS"] ?? (inject("sample").isWhole ? 40 : 12));

const MOST_REQUESTS = 480;

// Each operation has its own seed, so that no two draw the same idempotency keys. It depends on the name, so that a new
// operation does not change the requests for the others.
const named = document
  .operations()
  .map((one) => [one.operation.operationId, one, seed ^ crc32(one.operation.operationId)] as const);

/**
 * Their bodies belong to what another answer has said, such as the passkey of a challenge or a provider, so random ones are refused.
 * test/walks/worker/requests.test.ts checks the responses of valid ones.
 */
const answering: ReadonlySet<string> = new Set([
  ...["confirmSession", "createOwner", "addPasskey", "acceptInvitation", "connectCommand", "claimToken"],
  // A provider gives an identity.
  ...["addIdentity", "removeIdentity"],
]);

let playground: Playground;
/** How often each operation gave each response. An operation without a success has not been tested. */
const answers = new Map<string, number>();
beforeAll(async () => {
  playground = await Playground.open();
});
afterAll(async () => {
  await playground.close();
  if (process.env["GANTRY_SEED"] !== undefined) console.log(Object.fromEntries(answers));
});

describe("the response to any request is documented:", () => {
  it.each(named)("%s", { timeout: 60_000 + numRuns * 200 }, async (name, listed, ownSeed) => {
    await playground.replenish(name);
    const kindsSoFar = () => [...answers.keys()].filter((one) => one.startsWith(`${name} `));
    const has = (kind: RegExp) => kindsSoFar().some((one) => kind.test(one));
    const hasBoth = () => (answering.has(name) || has(/ 20\d$/)) && (name === "getHealth" || has(/ 4\d\d /));
    // Some operations are refused most of the time, such as a rollback to one of many deployments.
    for (let round = 0; round * numRuns < MOST_REQUESTS && !hasBoth(); round += 1)
      await fc.assert(
        fc.asyncProperty(requestsFor(listed), async (request) => {
          const { answer, text } = await playground.send(request);
          const { kind, faults } = undocumented(listed, request, answer, text);
          answers.set(`${name} ${kind}`, (answers.get(`${name} ${kind}`) ?? 0) + 1);
          if (faults.length > 0) throw new Error(`${JSON.stringify(request)}\n${faults.join("\n")}`);
        }),
        // Requests have effects, so shrinking to a smaller request is not reproducible.
        { seed: ownSeed + round, numRuns, endOnFailure: true },
      );
    const kinds = kindsSoFar();
    if (!answering.has(name)) expect(kinds).toContainEqual(expect.stringMatching(/ 20\d$/));
    if (name !== "getHealth") expect(kinds).toContainEqual(expect.stringMatching(/ 4\d\d /));
  });
});
