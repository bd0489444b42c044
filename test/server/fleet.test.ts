import { setTimeout as pause } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";

import { useGantry } from "../openapi/support/gantry.ts";
import { eventually } from "../support/faults/eventually.ts";
import { type Load, type LoadReport, type LoadTarget, startLoad } from "../support/load/load.ts";
import { AppServer } from "./support/app-server.ts";
import { loadAppText } from "./support/apps/load-app.ts";

const DOMAIN = "fleet.localhost";
const REPOSITORY = "/srv/repositories/fleet";
const DEPLOYMENTS = 20;
/** How long a client waits before its next request. */
const BETWEEN_MS = 40;
const SLOW_REQUEST_MS = 2_000;
const TEST_MS = 400_000;

let balancer: AppServer;
let members: readonly [AppServer, AppServer];
let project: Project;
let target: Required<LoadTarget>;
beforeAll(async () => {
  const gantry = await useGantry();
  const start = () => AppServer.start({ ingress: true, gantry });
  const [front, one, two] = await Promise.all([start(), start(), start()]);
  [balancer, members] = [front, [one, two]];
  for (const [at, { machine }] of members.entries()) {
    await machine.write("/etc/server-name", `member-${at}`);
    await machine.write(`${REPOSITORY}/app.cjs`, loadAppText());
  }
  // The address of the other one is its agent's report.
  const { status } = await one.api.call("PATCH", `/v1/servers/${one.id}`, { address: "127.0.0.1" });
  expect(status).toBe(200);
  await commit();
  project = await one.api.createProject({
    name: "fleet",
    server_id: one.id,
    servers: [{ id: one.id }, { id: two.id }],
    entry: { type: "balancer", balancers: [front.id] },
    repository: REPOSITORY,
    domain: DOMAIN,
    health_check: { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 },
    drain_seconds: 2,
    keep_releases: 3,
  });
  await deploy();
  target = await front.target(DOMAIN);
}, TEST_MS);
afterAll(async () => {
  await Promise.all([balancer, ...(members ?? [])].map((server) => server?.close()));
});

let release = 0;
const names = () => [`member-0-r${release}-`, `member-1-r${release}-`];

/** Commits the release on each member. The same files, author and time make the same commit. */
async function commit(): Promise<void> {
  const when = `${1_800_000_000 + release} +0000`;
  const git = "git -c user.name=Ada -c user.email=ada@example.com -c safe.directory='*'";
  const lines = [
    `cd ${REPOSITORY}`,
    `echo 'web: exec node app.cjs $(cat /etc/server-name)-r${release}-' > Procfile`,
    "git init --quiet --initial-branch=main .",
    `${git} add --all`,
    `GIT_AUTHOR_DATE='${when}' GIT_COMMITTER_DATE='${when}' ${git} commit --quiet -m r${release}`,
    "chown -R gantry .",
  ];
  await Promise.all(members.map(({ machine }) => machine.tell(lines.join(" && "))));
}

async function deploy(): Promise<void> {
  const { id } = await members[0].api.start(project.id);
  await members[0].becomesLive(id);
}

/** Changes something during the load of 16 clients. */
async function underLoad(change: (load: Load) => Promise<void>): Promise<LoadReport> {
  const load = startLoad(target, BETWEEN_MS);
  for (const name of names()) await load.answeredBy(name);
  await change(load);
  for (const name of names()) await load.answeredBy(name);
  return await load.stop();
}

async function drain(member: AppServer, word: "drain" | "undrain"): Promise<void> {
  const { json } = await member.api.call("POST", `/v1/servers/${member.id}/${word}`, {});
  expect(DrainSet.parse(json)).toMatchObject({ applied: true });
}

/** Takes a member out, changes it, and waits until it can be taken back. */
async function whileDrained(member: AppServer, change: () => Promise<unknown>): Promise<void> {
  await drain(member, "drain");
  // Until the balancer has noticed, and requests have ended.
  await pause(1_500 + SLOW_REQUEST_MS);
  await change();
  await eventually("the agent is connected", async () => {
    const { json } = await member.api.call("POST", `/v1/servers/${member.id}/undrain`, {});
    return DrainSet.parse(json).applied;
  });
}

describe("A balancer and two members under the load of 16 clients", () => {
  it(
    `lose no request over ${DEPLOYMENTS} rolling deployments`,
    async () => {
      const { failures, cutSockets } = await underLoad(async () => {
        for (let turn = 0; turn < DEPLOYMENTS; turn += 1) {
          release += 1;
          await commit();
          await deploy();
        }
      });
      expect(failures).toEqual({});
      expect(cutSockets).toBe(0);
    },
    TEST_MS,
  );

  it(
    "lose no request while a drained member is rebooted, and its ingress is restarted",
    async () => {
      const [one, two] = members;
      const { failures } = await underLoad(async (load) => {
        await whileDrained(one, () => one.machine.reboot());
        // Not both at the same time.
        await load.answeredBy(`member-0-r${release}-`);
        await whileDrained(two, () => two.machine.tell("systemctl restart gantry-ingress"));
      });
      expect(failures).toEqual({});
    },
    TEST_MS,
  );

  it.each([
    [
      "the balancer is configured again",
      () => balancer,
      `curl -sS --fail --unix-socket /run/gantry-ingress/admin.sock -H 'Host: gantry' -H 'Cache-Control: must-revalidate' -H 'Content-Type: application/json' --data-binary @/var/lib/gantry/ingress/caddy.json http://gantry/load`,
    ],
    ["a member is killed", () => members[1], "systemctl kill --signal=KILL gantry-ingress"],
  ] as const)(
    "lose requests while %s, so the load would notice",
    async (_, server, line) => {
      const load = startLoad(target, 0);
      for (let turn = 0; turn < 30 && load.failures() === 0; turn += 1) {
        // A member that was killed gets requests again.
        for (const name of names()) await load.answeredBy(name);
        await server().machine.tell(line);
        await pause(100);
      }
      expect(Object.keys((await load.stop()).failures)).not.toEqual([]);
    },
    TEST_MS,
  );
});
