import { createHash, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { createIdGenerator } from "#contract/ids.ts";
import { formToken, randomTokenCharacters } from "#contract/token-form.ts";

import type { System } from "../test/support/journey-system.ts";
import { seedDeployments } from "../test/support/seed-deployments.ts";
import { writeDatabase } from "../test/support/write-database.ts";
import { median, type Row, time } from "./measure.ts";

const [SHORT, LONG] = [1_000, 1_000_000];
const ROUNDS = 40;
const WARM_UP = 5;
const RATIO_GOAL = 1.2;
const READY_MS = 120_000;

const ids = createIdGenerator({ now: () => Date.now(), randomBytes });

type Account = { readonly token: string; readonly projectId: string; readonly serverId: string };

/** Measures the first page of lists of deployments, with each filter, of a short and of a long history in one database. */
export async function measurePages(system: System): Promise<Row[]> {
  const short = await accountWith(system, SHORT);
  const long = await accountWith(system, LONG);
  await untilReady(system);
  const lists: readonly (readonly [string, (account: Account) => string])[] = [
    ["all", () => "/v1/deployments"],
    ["of a project", ({ projectId }) => `/v1/projects/${projectId}/deployments`],
    ["status=live", () => "/v1/deployments?status=live"],
    ["status=failed", () => "/v1/deployments?status=failed"],
    ["status=failed,canceled", () => "/v1/deployments?status=failed,canceled"],
    ["status=failed of a project", ({ projectId }) => `/v1/projects/${projectId}/deployments?status=failed`],
    ["branch, 1 in 5", () => "/v1/deployments?branch=next"],
    ["branch, none", () => "/v1/deployments?branch=none"],
    ["branch, none, of a project", ({ projectId }) => `/v1/projects/${projectId}/deployments?branch=none`],
    ["commit, none", () => "/v1/deployments?commit=ffffffffff"],
    ["server_id, all", ({ serverId }) => `/v1/deployments?server_id=${serverId}`],
    ["server_id, none", () => `/v1/deployments?server_id=${ids.server()}`],
  ];
  const rows: Row[] = [];
  for (const [what, pathOf] of lists) {
    const times = { short: [] as number[], long: [] as number[] };
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const ofShort = await time(() => read(system, short, pathOf(short)));
      const ofLong = await time(() => read(system, long, pathOf(long)));
      if (round < 0) continue;
      times.short.push(ofShort);
      times.long.push(ofLong);
    }
    const [floor, measured] = [median(times.short), median(times.long)];
    rows.push({
      what: `page of deployments: ${what}, of ${LONG.toLocaleString("en")}`,
      measured: `${measured.toFixed(1)} ms`,
      against: `${floor.toFixed(1)} ms  of ${SHORT.toLocaleString("en")}`,
      ratio: `${(measured / floor).toFixed(2)}×`,
      goal: `≤ ${RATIO_GOAL}×`,
      isMet: measured / floor <= RATIO_GOAL,
    });
  }
  return rows;
}

async function read({ local }: System, { token }: Account, path: string): Promise<void> {
  const response = await fetch(`${local.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** `npm start` starts the Worker again if the database was locked for so long that it did not answer. */
async function untilReady({ local }: System): Promise<void> {
  const until = performance.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`${local.url}/healthz`).catch(() => null);
    if (answer?.ok === true) return;
    if (performance.now() > until) throw new Error("the Worker does not answer after the rows were written");
    await pause(500);
  }
}

/** An account of its own, with a server, a project and this many deployments. */
async function accountWith({ home, local, api }: System, count: number): Promise<Account> {
  const settings = { server_id: local.server_id, repository: "/nowhere" };
  const project = await api.createProject({ name: `bench-pages-${count}`, ...settings });
  const accountId = ids.account();
  const serverId = ids.server();
  const token = formToken(randomTokenCharacters(randomBytes), "api");
  const hash = createHash("sha256").update(token).digest("hex");
  const now = Date.now();
  writeDatabase(home, [
    {
      sql: "INSERT INTO accounts (id, name, created_at) VALUES (?, 'Pages', ?)",
      parameters: [accountId, now],
    },
    {
      sql: `INSERT INTO tokens (id, account_id, name, hash, scopes, created_at, expires_at) VALUES (?, ?, 'bench', ?, '["deployments:read"]', ?, ?)`,
      parameters: [ids.token(), accountId, hash, now, now + 86_400_000],
    },
    {
      sql: "INSERT INTO servers (id, account_id, name, ip, created_at, connected_ms_by_day) VALUES (?, ?, 'web-1', '192.0.2.1', ?, '{}')",
      parameters: [serverId, accountId, now],
    },
    {
      sql: "UPDATE projects SET account_id = ?, server_id = ? WHERE id = ?",
      parameters: [accountId, serverId, project.id],
    },
  ]);
  seedDeployments(home, { account_id: accountId }, { ...project, server_id: serverId }, { count, days: 365 });
  return { token, projectId: project.id, serverId };
}
