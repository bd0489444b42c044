import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { createIdGenerator } from "#contract/ids.ts";

import { buildWorker } from "../scripts/shared/build-worker.ts";
import { withLocalDatabase } from "../scripts/shared/local-database.ts";
import { readLocalSettings } from "../scripts/shared/local-settings.ts";
import { BUSY, type Filled, fillHistory, HOOK, QUIET } from "./fill-history.ts";
import { median, type Row, time } from "./measure.ts";
import { type MeteredStatement, type MeteredWorker, startMeteredWorker } from "./metered-worker.ts";

const ROUNDS = 20;
const WARM_UP = 3;
/** How many times as large the larger database is. */
const FACTOR = 100;
/** The goal for rows, which D1 bills, and for the time. */
const GOAL = 1.2;
/** What docs/scaling.md says of an event with its indexes, rounded up. */
const MOST_BYTES = 1_300;
/** What a page may read: two lists of it may differ by how full they are. */
const PAGE_ROWS = 700;

/** A stream finds the newest event, and then reads the events that it lacks. */
const STREAM_READS = 2;

type Installation = { readonly worker: MeteredWorker; readonly filled: Filled; readonly events: number };

type Read = {
  readonly what: string;
  readonly path: string;
  readonly token?: "limited";
  /** Continues in the middle of this list. */
  readonly middleOf?: "events" | "audit";
  /** Follows the events from this far back, in the share of all. */
  readonly behind?: number;
};

const none = createIdGenerator({ now: () => Date.now(), randomBytes }).project();

const reads: readonly Read[] = [
  { what: "deployments", path: "/v1/deployments" },
  { what: "deployments of a project", path: `/v1/projects/${BUSY}/deployments` },
  { what: "events", path: "/v1/events" },
  { what: "events, in the middle", path: "/v1/events", middleOf: "events" },
  { what: "events, type of 1 in 10", path: "/v1/events?type=deployment.failed" },
  {
    what: "events, type of 1 in 10, in the middle",
    path: "/v1/events?type=deployment.failed",
    middleOf: "events",
  },
  { what: "events, type=deployment.*", path: "/v1/events?type=deployment.*" },
  { what: "events, type of none", path: "/v1/events?type=token.*" },
  { what: "events of a project with half of them", path: `/v1/events?project_id=${BUSY}` },
  { what: "events of it, in the middle", path: `/v1/events?project_id=${BUSY}`, middleOf: "events" },
  { what: "events of it, type of 1 in 10", path: `/v1/events?project_id=${BUSY}&type=deployment.failed` },
  { what: "events of it, type of none", path: `/v1/events?project_id=${BUSY}&type=token.*` },
  { what: "events of a project without", path: `/v1/events?project_id=${none}` },
  { what: "events, limited token", path: "/v1/events", token: "limited" },
  { what: "events, limited token, type of none", path: "/v1/events?type=token.*", token: "limited" },
  { what: "stream, all events", path: "/v1/events", behind: 0.5 },
  { what: "stream, type of none", path: "/v1/events?type=token.*", behind: 0.5 },
  { what: "stream, events of a project without", path: `/v1/events?project_id=${none}`, behind: 0.5 },
  {
    what: "stream, limited token, type of none",
    path: "/v1/events?type=token.*",
    behind: 0.5,
    token: "limited",
  },
  { what: "audit log", path: "/v1/audit" },
  { what: "audit log, in the middle", path: "/v1/audit", middleOf: "audit" },
  { what: "audit log, action of 1 in 4", path: "/v1/audit?action=updateVariables" },
  { what: "audit log, action of none", path: "/v1/audit?action=none" },
  { what: "audit log, refused", path: "/v1/audit?outcome=refused" },
  { what: "audit log, actor of none", path: "/v1/audit?actor_id=none" },
  { what: "audit log, target of none", path: "/v1/audit?target_id=none" },
  { what: "audit log of a project", path: `/v1/audit?project_id=${QUIET}` },
  { what: "audit log of a project, action of none", path: `/v1/audit?project_id=${BUSY}&action=none` },
  { what: "audit log of it, refused", path: `/v1/audit?project_id=${BUSY}&outcome=refused` },
  { what: "audit log of it, actor of none", path: `/v1/audit?project_id=${BUSY}&actor_id=none` },
  { what: "audit log of it, target of another", path: `/v1/audit?project_id=${BUSY}&target_id=${QUIET}` },
  {
    what: "audit log, limited token, target of another",
    path: `/v1/audit?target_id=${BUSY}`,
    token: "limited",
  },
  { what: "audit log, two filters of none", path: "/v1/audit?action=startDeployment&target_id=none" },
  { what: "audit seals", path: "/v1/audit/seals" },
  { what: "pushes of a hook", path: `/v1/hooks/${HOOK}/pushes` },
  { what: "pushes of a project", path: `/v1/projects/${QUIET}/pushes` },
  { what: "revisions of variables", path: `/v1/projects/${BUSY}/variables/revisions` },
  { what: "variables", path: `/v1/projects/${BUSY}/variables` },
  { what: "commands", path: `/v1/projects/${BUSY}/commands` },
];

/**
 * Measures reads and the schedule with so many events, and a tenth as many deployments, entries of the audit log and
 * pushes, against a database with a hundredth of them: the time, and the rows that D1 reads.
 */
export async function measureHistory(parent: string, events: number): Promise<Row[]> {
  const home = join(parent, "bench-history");
  const built = await buildWorker();
  if (!built.ok) throw new Error(`the bundle failed:\n${built.output}`);
  const open: Installation[] = [];
  try {
    for (const count of [events / FACTOR, events])
      open.push(await startWith(join(home, `${count}`), built.bundle, count));
    const [small, large] = open;
    if (small === undefined || large === undefined) return [];
    return await compare(small, large);
  } finally {
    for (const { worker } of open) await worker.close();
    await rm(home, { recursive: true, force: true });
  }
}

async function compare(small: Installation, large: Installation): Promise<Row[]> {
  const rows: Row[] = [];
  for (const read of reads) {
    const row = await measureRead(read, small, large);
    console.log(`  ${row.what}: ${row.measured} against ${row.against}`);
    rows.push(row);
  }
  return [...rows, ...(await measureSchedule(small, large)), sizeRow(large)];
}

async function startWith(state: string, bundle: string, events: number): Promise<Installation> {
  await mkdir(state, { recursive: true });
  await withLocalDatabase(state, await readLocalSettings(bundle), async () => undefined);
  const startedAt = performance.now();
  const filled = fillHistory(state, events);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `  ${events.toLocaleString("en")} events in ${seconds} s, ${(filled.bytes.all / 1e9).toFixed(2)} GB`,
  );
  return { worker: await startMeteredWorker(state, bundle), filled, events };
}

async function measureRead(read: Read, small: Installation, large: Installation): Promise<Row> {
  const times = { small: [] as number[], large: [] as number[] };
  const found = { small: 0, large: 0 };
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const [size, installation] of [
      ["small", small],
      ["large", large],
    ] as const) {
      let statements: MeteredStatement[] = [];
      const took = await time(async () => void (statements = await statementsOf(installation, read)));
      found[size] = Math.max(...statements.map(({ rows }) => rows));
      if (round >= 0) times[size].push(took);
    }
  const [floor, measured] = [median(times.small), median(times.large)];
  return rowOf(read.what, { measured, rows: found.large }, { measured: floor, rows: found.small }, large);
}

type Measured = { readonly measured: number; readonly rows: number };

function rowOf(what: string, { measured, rows }: Measured, floor: Measured, { events }: Installation): Row {
  const isFlat = rows <= Math.max(PAGE_ROWS, floor.rows * GOAL);
  return {
    what: `${what}, of ${events.toLocaleString("en")} events`,
    measured: `${measured.toFixed(1)} ms, ${rows} rows`,
    against: `${floor.measured.toFixed(1)} ms, ${floor.rows} rows  of ${(events / FACTOR).toLocaleString("en")}`,
    ratio: `${(measured / floor.measured).toFixed(2)}×`,
    goal: `≤ ${GOAL}×`,
    isMet: isFlat && measured / floor.measured <= GOAL,
  };
}

/** Sends a request. @returns the statements until its answer, or until a stream has read the events that it lacks */
async function statementsOf(
  { worker, filled, events }: Installation,
  { path, token, middleOf, behind }: Read,
): Promise<MeteredStatement[]> {
  const url = new URL(worker.url + path);
  if (middleOf !== undefined) url.searchParams.set("cursor", middleCursor(middleOf, events));
  const stop = new AbortController();
  const lastEventId = behind === undefined ? null : String(Math.floor(events * (1 - behind)));
  const response = await fetch(url, {
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${filled[token ?? "token"]}`,
      ...(lastEventId === null ? {} : { accept: "text/event-stream", "last-event-id": lastEventId }),
    },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  if (lastEventId === null) {
    await response.arrayBuffer();
    return await worker.statements();
  }
  const found: MeteredStatement[] = [];
  while (
    found.filter(({ text }) => text.includes('from "events"') || text.includes('join "events"')).length <
    STREAM_READS
  )
    found.push(...(await worker.statements()));
  stop.abort();
  return found;
}

/** As the Worker makes it (`paging.ts`). */
function middleCursor(list: "events" | "audit", events: number): string {
  const number = list === "events" ? events / 2 : events / 20;
  return Buffer.from(JSON.stringify([list, number])).toString("base64url");
}

/** Measures one run of the schedule in each, in which all parts are due. The first one is the most work. */
async function measureSchedule(small: Installation, large: Installation): Promise<Row[]> {
  const runOf = async ({ worker }: Installation) => {
    await worker.statements();
    const measured = await time(() => worker.runSchedule());
    const most = new Map<string, number>();
    for (const { text, rows } of await worker.statements())
      most.set(text, Math.max(most.get(text) ?? 0, rows));
    return { measured, most };
  };
  const floor = await runOf(small);
  const measured = await runOf(large);
  const rows = [...measured.most].map(([text, most]) => {
    const before = floor.most.get(text) ?? 0;
    return { text, most, before, isFlat: most <= Math.max(PAGE_ROWS, before * GOAL) };
  });
  for (const { text, most, before } of rows.filter(({ isFlat }) => !isFlat))
    console.log(`  the schedule reads ${most} rows instead of ${before}: ${text}`);
  const mostOf = (of: ReadonlyMap<string, number>) => Math.max(...of.values());
  const row = rowOf(
    "the schedule, its largest statement",
    { measured: measured.measured, rows: mostOf(measured.most) },
    { measured: floor.measured, rows: mostOf(floor.most) },
    large,
  );
  return [{ ...row, isMet: rows.every(({ isFlat }) => isFlat) }];
}

function sizeRow({ filled: { bytes }, events }: Installation): Row {
  const each = bytes.events / events;
  return {
    what: `the database with ${events.toLocaleString("en")} events`,
    measured: `${(bytes.all / 1e9).toFixed(2)} GB`,
    against: `${((bytes.all - bytes.events) / 1e9).toFixed(2)} GB  without them`,
    ratio: `${each.toFixed(0)} bytes each`,
    goal: `≤ ${MOST_BYTES} bytes`,
    isMet: each <= MOST_BYTES,
  };
}
