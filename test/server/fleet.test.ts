import { setTimeout as pause } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { DrainSet } from "#contract/endpoints/servers/drain.ts";
import type { Project } from "#contract/endpoints/projects/schemas.ts";
import type { FleetServer, FleetState } from "#contract/agent-fleet.ts";
import { ServerId as FleetId } from "#contract/ids.ts";

import { useGantry } from "../openapi/support/gantry.ts";
import { eventually } from "../support/faults/eventually.ts";
import { type LoadReport, type LoadTarget, startLoad } from "../support/load/load.ts";
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
  balancer = await start();
  members = [await start(), await start()];
  for (const [at, { machine }] of members.entries()) await machine.write("/etc/server-name", `member-${at}`);
  await commit(0);
  const [one, two] = members;
  project = await one.api.createProject({
    name: "fleet",
    servers: [{ id: one.id }, { id: two.id }],
    server_id: one.id,
    repository: REPOSITORY,
    domain: DOMAIN,
    health_check: { path: "/", tries: 3, interval_seconds: 0.1, timeout_seconds: 10 },
    drain_seconds: 2,
    keep_releases: 3,
  });
  await deploy();
  await setEntry();
  target = await balancer.target(DOMAIN);
}, TEST_MS);
afterAll(async () => {
  await Promise.all([balancer, ...(members ?? [])].map((server) => server?.close()));
});

/** Commits a release on each member. The same files, author and time make the same commit. */
async function commit(release: number): Promise<void> {
  const when = `${1_800_000_000 + release} +0000`;
  for (const { machine } of members) {
    await machine.write(`${REPOSITORY}/app.cjs`, loadAppText());
    await machine.write(
      `${REPOSITORY}/Procfile`,
      `web: exec node app.cjs $(cat /etc/server-name)-r${release}-\n`,
    );
    const git = "git -c user.name=Ada -c user.email=ada@example.com -c safe.directory='*'";
    await machine.tell(
      `cd ${REPOSITORY} && chown -R root . && git init --quiet --initial-branch=main . && ${git} add --all && GIT_AUTHOR_DATE='${when}' GIT_COMMITTER_DATE='${when}' ${git} commit --quiet -m r${release} && chown -R gantry .`,
    );
  }
}

async function deploy(): Promise<void> {
  const { id } = await members[0].api.start(project.id);
  await members[0].becomesLive(id);
}

async function setEntry(): Promise<void> {
  const all = [balancer, ...members];
  const servers: FleetServer[] = [];
  for (const one of all) {
    const settings = JSON.parse(await one.machine.tell("cat /etc/gantry/ingress.json"));
    servers.push({
      id: FleetId.parse(one.id),
      ip: "127.0.0.1",
      address: "127.0.0.1",
      port: settings.fleet_port,
      http_port: settings.http_port,
      root: await one.machine.tell("cat /var/lib/gantry/ingress/root.crt"),
    });
  }
  for (const one of all) {
    const state: FleetState = {
      revision: 1,
      servers,
      balances:
        one === balancer
          ? [
              {
                project_id: project.id,
                domain: DOMAIN,
                aliases: [],
                sticky: false,
                peers: [],
                members: servers.slice(1).map(({ id }) => id),
              },
            ]
          : [],
      serves:
        one === balancer
          ? []
          : [
              {
                entry: "balancer",
                project_id: project.id,
                hosts: [DOMAIN],
                balancers: [FleetId.parse(balancer.id)],
              },
            ],
    };
    await one.machine.write("/var/lib/gantry/ingress/fleet.json", JSON.stringify(state));
    await one.machine.tell("chown gantry /var/lib/gantry/ingress/fleet.json; systemctl restart gantry-agent");
  }
}

/** Changes something during the load of 16 clients. */
async function underLoad(change: () => Promise<void>): Promise<LoadReport> {
  const load = startLoad(target, BETWEEN_MS);
  for (const name of names()) await load.answeredBy(name);
  await change();
  for (const name of names()) await load.answeredBy(name);
  return await load.stop();
}

let release = 0;
const names = () => [`member-0-r${release}-`, `member-1-r${release}-`];

async function drain(member: AppServer, word: "drain" | "undrain"): Promise<void> {
  const { json } = await member.api.call("POST", `/v1/servers/${member.id}/${word}`, {});
  expect(DrainSet.parse(json)).toMatchObject({ applied: true });
}

/** Takes a member out, changes it, and waits until it can be taken back. */
async function whileDrained(member: AppServer, change: () => Promise<void>): Promise<void> {
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
      const { failures, cutSockets, ok } = await underLoad(async () => {
        for (let turn = 0; turn < DEPLOYMENTS; turn += 1) {
          release += 1;
          await commit(release);
          await deploy();
        }
      });
      console.log({ ok });
      expect(failures).toEqual({});
      expect(cutSockets).toBe(0);
    },
    TEST_MS,
  );

  it(
    "lose no request while a drained member is rebooted, and its ingress is restarted",
    async () => {
      const [one, two] = members;
      const { failures, ok } = await underLoad(async () => {
        await whileDrained(one, () => one.machine.reboot());
        for (const name of names()) (await pause(0), name);
        await whileDrained(
          two,
          async () => void (await two.machine.tell("systemctl restart gantry-ingress")),
        );
      });
      console.log({ ok });
      expect(failures).toEqual({});
    },
    TEST_MS,
  );

  it(
    "lose requests while the balancer is configured again, or a member is killed, so the load would notice",
    async () => {
      const load = startLoad(target, 0);
      for (const name of names()) await load.answeredBy(name);
      const kill = "systemctl kill --signal=KILL gantry-ingress";
      for (let turn = 0; turn < 20 && load.failures() === 0; turn += 1) {
        await members[1].machine.tell(kill);
        await pause(1_000);
      }
      expect(Object.keys((await load.stop()).failures)).not.toEqual([]);
    },
    TEST_MS,
  );
});
