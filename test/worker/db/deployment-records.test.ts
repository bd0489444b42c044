import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { AccountId, DeploymentId, ProjectId, ServerId } from "#contract/ids.ts";
import { AccountRows } from "#worker/db/account-rows.ts";
import {
  deploymentDeletion,
  type DeploymentRecord,
  deploymentWrites,
} from "#worker/db/deployments/deployment-records.ts";
import { findDeployment } from "#worker/db/deployments/find-deployment.ts";
import { findProject } from "#worker/db/projects/find-project.ts";
import { projectStateWrites } from "#worker/db/projects/write-project-state.ts";
import { setServings, writePresence } from "#worker/db/servers/server-presence.ts";
import { findServer } from "#worker/db/servers/server-records.ts";
import { ids } from "../../support/worker/account.ts";
import { createWorld } from "../../support/worker/world.ts";

type Place = { rows: AccountRows; accountId: AccountId; projectId: ProjectId; serverId: ServerId };

async function createPlace(name = "shop"): Promise<Place> {
  const { account, projectId, serverId } = await createWorld(name);
  return { rows: new AccountRows(env.DB, account.id), accountId: account.id, projectId, serverId };
}

function recordIn({ projectId, serverId }: Place, changes: Partial<DeploymentRecord> = {}): DeploymentRecord {
  return {
    id: ids.deployment(),
    projectId,
    serverId,
    version: 10,
    kind: "deploy",
    rollbackOf: null,
    status: "building",
    stage: "queued",
    waitsForServer: false,
    branch: "main",
    commitSha: null,
    commitMessage: null,
    trigger: "api",
    actor: { type: "token", id: "tok_1", name: "test" },
    createdAt: 1_000,
    startedAt: null,
    finishedAt: null,
    deadlineAt: null,
    failure: null,
    evidence: null,
    release: null,
    releaseKept: false,
    stages: null,
    variablesRevision: null,
    clearCache: false,
    requestedCommit: null,
    pushedSha: null,
    hold: null,
    approvedBy: null,
    emergency: null,
    changes: null,
    runs: null,
    build: null,
    revision: 1,
    ...changes,
  };
}

const statusOf = async ({ rows }: Place, id: DeploymentId) => (await findDeployment(rows, id))?.status;

const write = async ({ rows }: Place, records: readonly DeploymentRecord[]) =>
  await rows.runTogether(deploymentWrites(rows, records));

describe("writing a project's deployments", () => {
  it("stores every field", async () => {
    const place = await createPlace();
    const failure = {
      code: "build_failed",
      message: "it broke",
      stage: "build",
      evidence: { exit_code: 2 },
    } as const;
    const record = recordIn(place, {
      status: "failed",
      stage: null,
      failure,
      startedAt: 5,
      finishedAt: 9,
      deadlineAt: 7,
    });
    await write(place, [record]);
    expect(await findDeployment(place.rows, record.id)).toEqual({
      ...record,
      ahead: null,
      firstInLine: null,
    });
  });

  it("supersedes the live deployment and makes a newer one live in one batch", async () => {
    const place = await createPlace();
    const older = recordIn(place, { status: "live", version: 11 });
    await write(place, [older]);
    const newer = recordIn(place, { status: "live", version: 12 });
    const left = { ...older, status: "superseded", revision: 2 } as const;
    await write(place, [newer, left]);
    expect([await statusOf(place, older.id), await statusOf(place, newer.id)]).toEqual([
      "superseded",
      "live",
    ]);
  });

  it("ignores older revisions, even if they would make two deployments live", async () => {
    const place = await createPlace();
    const first = recordIn(place, { status: "superseded", version: 11, revision: 7 });
    const second = recordIn(place, { status: "live", version: 12 });
    await write(place, [first, second]);
    await write(place, [{ ...first, status: "live", revision: 5 }]);
    expect([await statusOf(place, first.id), await statusOf(place, second.id)]).toEqual([
      "superseded",
      "live",
    ]);
  });

  it("writes nothing if one record cannot be written", async () => {
    const place = await createPlace();
    const building = recordIn(place, { version: 11 });
    const live = [
      recordIn(place, { status: "live", version: 12 }),
      recordIn(place, { status: "live", version: 13 }),
    ];
    await expect(async () => {
      await write(place, [building, ...live]);
    }).rejects.toThrow("UNIQUE");
    expect(await findDeployment(place.rows, building.id)).toBeNull();
  });

  it("moves the project's last deployment time only forward, and shows a running deployment's time", async () => {
    const place = await createPlace();
    const { rows, projectId } = place;
    const later = Date.now() + 60_000;
    const ended = (lastDeployAt: number) =>
      rows.runTogether(
        projectStateWrites(rows, projectId, {
          lastDeployAt,
          detected: null,
          servings: [],
          hasSeveral: false,
          readRepository: null,
        }),
      );
    const last = async () => (await findProject(rows, projectId))?.lastDeployAt;
    await ended(later);
    await ended(later - 1);
    expect(await last()).toBe(later);
    await write(place, [recordIn(place, { createdAt: later - 1, version: 11 })]);
    expect(await last()).toBe(later);
    await write(place, [recordIn(place, { createdAt: later + 1, version: 12 })]);
    expect(await last()).toBe(later + 1);
  });

  it("writes a hundred records at once", async () => {
    const place = await createPlace();
    const records = Array.from({ length: 101 }, (_, at) => recordIn(place, { version: 100 + at }));
    await write(place, records);
    expect(await statusOf(place, records[100]?.id ?? ids.deployment())).toBe("building");
  });

  it("cannot change another account's rows, with any id", async () => {
    const [mine, theirs] = [await createPlace("mine"), await createPlace("theirs")];
    const record = recordIn(theirs);
    await write(theirs, [record]);
    await write({ ...theirs, rows: mine.rows }, [{ ...record, status: "failed", revision: 9 }]);
    await mine.rows.runTogether(deploymentDeletion(mine.rows, [record.id]));
    expect(await findDeployment(mine.rows, record.id)).toBeNull();
    expect(await statusOf(theirs, record.id)).toBe("building");
    await theirs.rows.runTogether(deploymentDeletion(theirs.rows, [record.id]));
    expect(await findDeployment(theirs.rows, record.id)).toBeNull();
  });
});

describe("an agent's presence", () => {
  it("is stored, and omitted fields keep their values", async () => {
    const { rows, serverId } = await createPlace();
    const disk = { total_bytes: 100, free_bytes: 40, cache_bytes: 7, image_bytes: 9, images: [] };
    await writePresence(rows, serverId, { lastSeenAt: 20, connectedAt: 10, agentVersion: "2.0.0", disk });
    await writePresence(rows, serverId, { lastSeenAt: 30, connectedMsByDay: { 0: 20 } });
    expect(await findServer(rows, serverId)).toMatchObject({
      lastSeenAt: 30,
      connectedAt: 10,
      agentVersion: "2.0.0",
      diskTotalBytes: 100,
      diskFreeBytes: 40,
      diskCacheBytes: 7,
      diskImageBytes: 9,
      diskImages: [],
      connectedMsByDay: { 0: 20 },
    });
  });

  it("is ignored if a later presence is recorded", async () => {
    const { rows, serverId, projectId } = await createPlace();
    expect(await writePresence(rows, serverId, { lastSeenAt: 30, connectedAt: 30 })).not.toBeNull();
    expect(await writePresence(rows, serverId, { lastSeenAt: 20, connectedAt: null })).toBeNull();
    expect((await findServer(rows, serverId))?.connectedAt).toBe(30);
    const report = {
      servingRelease: 2,
      servingCheckedAt: 30,
      url: null,
      reportedProcesses: null,
      ingressProblem: null,
      health: [],
    };
    const earlier = { ...report, servingCheckedAt: 29 };
    const later = { ...report, servingCheckedAt: 40 };
    expect(await setServings(rows, serverId, [{ projectId, report }])).toBe(1);
    expect(await setServings(rows, serverId, [{ projectId, report: earlier }])).toBe(0);
    expect(await setServings(rows, ids.server(), [{ projectId, report: later }])).toBe(0);
  });
});
