import { createServer } from "node:http";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HealthCheck, Timeouts } from "#contract/endpoints/projects/settings.ts";

import { AgentWorld } from "../../../agent/support/harness.ts";

let world: AgentWorld;
let cleanUps: (() => unknown)[] = [];
beforeEach(async () => {
  world = await AgentWorld.create();
  world.repository.commit({ "index.html": "one" });
  cleanUps = [];
});
afterEach(async () => {
  await world.close();
  for (const cleanUp of cleanUps) await cleanUp();
});

const check = (change: object) =>
  HealthCheck.parse({ path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10, ...change });

describe("a health check", () => {
  it("times out when there is no answer, and fails when it cannot connect", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanUps.push(
      () => silent.closeAllConnections(),
      () => silent.close(),
    );
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : 0;
    await world.startAgent();
    const hanging = await world.deploy({
      health_check: check({ path: undefined, url: `http://127.0.0.1:${port}/`, timeout_seconds: 30 }),
      timeouts: Timeouts.parse({ verify_seconds: 1 }),
    });
    expect(hanging.result).toMatchObject({ failure: { code: "timed_out", stage: "verify" } });
    const closed = await world.deploy({
      health_check: check({ path: undefined, url: "http://127.0.0.1:1/" }),
    });
    expect(closed.result).toMatchObject({
      failure: { code: "health_check_failed", evidence: { health_status: null } },
    });
  });

  it("cuts a long answer without showing the beginning of a password", async () => {
    const server = createServer((_request, response) => {
      response.statusCode = 500;
      response.end(`${"x".repeat(2030)} https://me:s3cretword@example.com/${"y".repeat(4000)}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await world.startAgent();
    const { result } = await world.deploy({
      health_check: check({ path: undefined, url: `http://127.0.0.1:${port}/` }),
    });
    expect(result).toMatchObject({
      failure: { evidence: { health_body: expect.stringMatching(/^x+ https:\/\/me:\*\*\*$/) } },
    });
  });

  it("hides the query values of its URL in the log and in its evidence", async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === "/up?key=s3cret" ? 200 : 500;
      response.end(`you asked for ${request.url}`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    await world.startAgent();
    const good = await world.deploy({
      health_check: check({ path: undefined, url: `${origin}/up?key=s3cret` }),
    });
    const evidence = { health_check: { url: `${origin}/up?key=***`, status: 200 } };
    expect(good.result).toMatchObject({ outcome: "live", evidence });
    const bad = await world.deploy({
      health_check: check({ path: undefined, url: `${origin}/?key=s3cret` }),
    });
    expect(bad.result).toMatchObject({
      failure: {
        message: expect.stringContaining(`${origin}/?key=*** did not answer`),
        evidence: { health_body: "you asked for /?key=***" },
      },
    });
    for (const { events } of [good.run, bad.run]) expect(JSON.stringify(events)).not.toContain("s3cret");
  });

  it("does not follow a redirect", async () => {
    const server = createServer((_request, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end("over there"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
    await world.startAgent();
    const { result } = await world.deploy({ health_check: check({ path: undefined, url }) });
    expect(result).toMatchObject({
      failure: { evidence: { health_status: 302, health_body: "over there" } },
    });
  });
});
