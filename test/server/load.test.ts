import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { ProcessUpdated } from "#contract/endpoints/processes/schemas.ts";

import { startLoad, type Load } from "../support/load/load.ts";
import { loadAppText } from "./support/apps/load-app.ts";
import { AppServer } from "./support/app-server.ts";

const BETWEEN_MS = 40;
const DOMAIN = "shop.localhost";

let server: AppServer;
let shop: Project;
beforeAll(async () => {
  server = await AppServer.start({ ingress: true });
  const files = { "app.cjs": loadAppText(), Procfile: procfile("r0"), ".gitignore": "" };
  shop = await server.createProject("shop", files, {
    domain: DOMAIN,
    drain_seconds: 2,
    keep_releases: 3,
    health_check: { path: "/", interval_seconds: 0.2 },
  });
  await server.expectLive(shop.id);
});
afterAll(() => server.close());

/** The app's name tells its release and its variables. */
const procfile = (release: string) => `web: exec node app.cjs ${release}-$COLOR\n`;

async function timed(what: string, action: () => Promise<void>) {
  const startedAt = performance.now();
  await action();
  console.log(`${what} ${Math.round(performance.now() - startedAt)} ms`);
}

async function call(method: string, path: string, body: unknown): Promise<unknown> {
  const answer = await server.api.call(method, path, body);
  expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
  return answer.json;
}

describe("The load of 16 clients on an app", () => {
  it("has no failure while the app is deployed, rolled back, configured and scaled", async () => {
    const load: Load = startLoad(await server.target(DOMAIN), BETWEEN_MS);
    await load.answeredBy("r0-");
    for (let turn = 1; turn <= 5; turn += 1)
      await timed("deploy", async () => {
        await server.commit("shop", { Procfile: procfile(`r${turn}`) });
        await server.expectLive(shop.id);
        await load.answeredBy(`r${turn}-`);
      });
    for (let turn = 1; turn <= 2; turn += 1)
      await timed("rollback", async () => {
        await server.becomesLive((await server.api.rollBack(shop.id)).id);
      });
    for (let turn = 1; turn <= 2; turn += 1)
      await timed("variables", async () => {
        await call("PATCH", `/v1/projects/${shop.id}/variables`, { set: [{ name: "COLOR", value: `c${turn}` }] });
        const { id } = DeploymentStarted.parse(await call("POST", `/v1/projects/${shop.id}/apply`, {}));
        await server.becomesLive(id);
      });
    for (const instances of [4, 1])
      await timed("scaled", async () => {
        const { deployment } = ProcessUpdated.parse(
          await call("PATCH", `/v1/projects/${shop.id}/processes/web`, { instances }),
        );
        await server.becomesLive(deployment?.id ?? "");
      });
    const { ok, failures, cutSockets, answers } = await load.stop();
    console.log(ok, failures, cutSockets, answers);
    expect(failures).toEqual({});
    expect(cutSockets).toBe(0);
  });
});
