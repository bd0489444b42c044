import { describe, expect, it } from "vitest";

import { createClient } from "#client/client.ts";
import { ProjectId } from "#contract/ids.ts";
import { sendOnce } from "#dashboard/data/send-once.ts";

const params = { project_id: ProjectId.parse("proj_00000000000000000000000000") };
const started = { id: "dpl_00000000000000000000000000", status: "building", version: 1 };

/** A client whose requests get these statuses in turn; 0 for no response. */
function clientWith(...statuses: readonly number[]) {
  const keys: (string | null)[] = [];
  let now = 0;
  let created = 0;
  const transport = {
    baseUrl: "http://control.plane",
    token: "gantry_x",
    fetch: (_: string, init: RequestInit) => {
      const status = statuses[keys.length] ?? 201;
      keys.push(new Headers(init.headers).get("idempotency-key"));
      return status === 0
        ? Promise.reject(new Error("cut"))
        : Promise.resolve(Response.json(status === 201 ? started : {}, { status }));
    },
  };
  const client = createClient(
    transport,
    sendOnce(
      () => now,
      () => `key-${(created += 1)}`,
    ),
  );
  return { client, keys, wait: (ms: number) => (now += ms) };
}

describe("a request that the user sends again", () => {
  it("has the same idempotency key until one response tells its outcome", async () => {
    const { client, keys } = clientWith(0, 503, 201, 201);
    for (const _ of [1, 2, 3, 4]) await client.startDeployment({ params });
    expect(keys).toEqual(["key-1", "key-1", "key-1", "key-2"]);
  });

  it("has a new key after a refusal, with another body, or much later", async () => {
    const { client, keys, wait } = clientWith(422, 0, 0, 0);
    await client.startDeployment({ params });
    await client.startDeployment({ params });
    await client.startDeployment({ params, body: { branch: "next" } });
    wait(120_000);
    await client.startDeployment({ params });
    expect(keys).toEqual(["key-1", "key-2", "key-3", "key-4"]);
  });

  it("has no key if it is safe to repeat", async () => {
    const { client, keys } = clientWith(200);
    await client.getAccount();
    expect(keys).toEqual([null]);
  });
});
