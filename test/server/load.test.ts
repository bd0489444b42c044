import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DeploymentStarted } from "#contract/endpoints/deployments/schemas.ts";
import { ProcessUpdated } from "#contract/endpoints/processes/schemas.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { pause } from "#contract/lib/pause.ts";

import { freePort } from "../support/free-port.ts";
import { startLoad } from "../support/load/load.ts";
import { AppServer } from "./support/app-server.ts";
import { onlyLiveRuns } from "./support/app-state.ts";
import { loadAppText } from "./support/apps/load-app.ts";

/** How long a client waits before its next request. */
const BETWEEN_MS = 40;
const DEPLOYMENTS = 50;
const ROLLBACKS = 20;
const CHANGES = 20;
/** Up and down. */
const SCALINGS = 20;
const FAILURES = 5;
const TEST_MS = 1_200_000;

let server: AppServer;
let deployed: Project;
let changed: Project;
let failing: Project;
beforeAll(async () => {
  server = await AppServer.start({ ingress: true });
  // All before the load begins, because the ingress loses requests while it is told a new domain.
  deployed = await deployApp("deployed");
  changed = await deployApp("changed");
  failing = await deployApp("failing", { release_command: "sh release.sh" });
});
afterAll(() => server.close());

/** The app's name tells its release and its variable. */
const named = (release: string) => ({ Procfile: `web: exec node app.cjs ${release}-$COLOR\n` });

/** Creates a project with the app of the load at <name>.localhost, and deploys it. */
async function deployApp(name: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Project> {
  const files = { "app.cjs": loadAppText(), "release.sh": "exit 0", ...named("r0") };
  const project = await server.createProject(name, files, {
    domain: `${name}.localhost`,
    health_check: { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 },
    // So that many instances are drained, and killed with their WebSocket.
    drain_seconds: 2,
    keep_releases: 3,
    ...settings,
  });
  await server.expectLive(project.id);
  return project;
}

async function call(method: string, path: string, body: unknown): Promise<unknown> {
  const { status, json, text } = await server.api.call(method, path, body);
  expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), text]);
  return json;
}

/** Changes a project during the load of 16 clients, who must see no failure. */
async function underLoad(
  project: Project,
  change: () => Promise<void>,
): Promise<Readonly<Record<string, number>>> {
  const load = startLoad(await server.target(project.domain), BETWEEN_MS);
  await load.answeredBy("r0-");
  await change();
  const { failures, cutSockets, answers } = await load.stop();
  expect(failures).toEqual({});
  expect(cutSockets).toBe(0);
  await onlyLiveRuns(server, project);
  return answers;
}

describe.concurrent("The load of 16 clients on an app has no failure while", () => {
  it(
    "it is deployed",
    async () => {
      const answers = await underLoad(deployed, async () => {
        for (let turn = 1; turn <= DEPLOYMENTS; turn += 1) {
          await server.commit("deployed", named(`r${turn}`));
          await server.expectLive(deployed.id);
        }
      });
      expect(answers).toMatchObject({ [`r${DEPLOYMENTS - 1}-`]: expect.any(Number) });
    },
    TEST_MS,
  );

  it(
    "it is rolled back, its variables change and it is scaled",
    async () => {
      await underLoad(changed, async () => {
        await server.commit("changed", named("r1"));
        await server.expectLive(changed.id);
        // Back and forth between the two releases.
        for (let turn = 0; turn < ROLLBACKS; turn += 1)
          await server.becomesLive((await server.api.rollBack(changed.id, { version: 1 + (turn % 2) })).id);
        for (let turn = 0; turn < CHANGES; turn += 1) {
          const set = [{ name: "COLOR", value: `c${turn}` }];
          await call("PATCH", `/v1/projects/${changed.id}/variables`, { set });
          const applied = await call("POST", `/v1/projects/${changed.id}/apply`, {});
          await server.becomesLive(DeploymentStarted.parse(applied).id);
        }
        for (let turn = 0; turn < SCALINGS; turn += 1) {
          const instances = turn % 2 === 0 ? 3 : 1;
          const scaled = await call("PATCH", `/v1/projects/${changed.id}/processes/web`, { instances });
          await server.becomesLive(ProcessUpdated.parse(scaled).deployment?.id ?? "none");
        }
      });
    },
    TEST_MS,
  );

  it(
    "releases of it fail in each possible way",
    async () => {
      const serve = (handler: string) =>
        `web: exec node -e 'require("node:http").createServer(${handler}).listen(process.env.PORT, "127.0.0.1")'\n`;
      const ways = {
        "exits at once": [{ Procfile: "web: exit 3\n" }, "start_failed"],
        "never listens": [{ Procfile: "web: exec sleep 1000\n" }, "timed_out"],
        "listens on another port": [
          { Procfile: `web: PORT=${await freePort()} exec node app.cjs broken\n` },
          "timed_out",
        ],
        "fails its check": [
          { Procfile: serve("(_, answer) => answer.writeHead(500).end()") },
          "health_check_failed",
        ],
        hangs: [{ Procfile: serve("() => undefined") }, "health_check_failed"],
        "its release command fails": [{ ...named("broken"), "release.sh": "exit 1" }, "release_failed"],
      } as const;
      const path = `/v1/projects/${failing.id}`;
      const health_check = { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 1 };
      const answers = await underLoad(failing, async () => {
        await call("PATCH", path, { health_check });
        for (let turn = 1; turn <= FAILURES; turn += 1)
          for (const [way, [files, code]] of Object.entries(ways)) {
            await server.commit("failing", { "release.sh": "exit 0", turn: `${way} ${turn}`, ...files });
            // Where it must start, it has longer than a slow machine needs.
            const start_seconds = code === "timed_out" ? 4 : 60;
            await call("PATCH", path, { timeouts: { start_seconds } });
            const { status, failure } = await server.deploy(failing.id);
            expect([way, status, failure?.code]).toEqual([way, "failed", code]);
          }
      });
      expect(Object.keys(answers).toSorted()).toEqual(["r0-", "r0- by WebSocket"]);
    },
    TEST_MS,
  );
});

describe("The load of 16 clients", () => {
  it("has failures while the configuration of the ingress is changed, so it would notice them", async () => {
    const { domain } = await deployApp("reloaded");
    const load = startLoad(await server.target(domain), 0);
    await load.answeredBy("r0-");
    const reload = `curl -sS --fail --unix-socket /run/gantry-ingress/admin.sock -H 'Host: gantry' -H 'Cache-Control: must-revalidate' -H 'Content-Type: application/json' --data-binary @/var/lib/gantry/ingress/caddy.json http://gantry/load`;
    for (let turn = 0; turn < 50 && load.failures() === 0; turn += 1) {
      await server.machine.tell(reload);
      await pause(50);
    }
    expect(Object.keys((await load.stop()).failures)).not.toEqual([]);
  });
});
