import * as z from "zod/mini";

import { BalanceReports, FleetReport } from "#contract/agent-fleet.ts";
import {
  Containers,
  Disk,
  IsolationLevel,
  PolicyLevel,
  ToolReport,
} from "#contract/endpoints/servers/schemas.ts";
import { SealKey } from "#contract/endpoints/variables/seal-key.ts";
import { Region } from "#contract/regions.ts";
import { growing, type Growing } from "#contract/growing.ts";
import { storedAs } from "#contract/stored.ts";
import type { ServerCondition } from "#domain/server-status.ts";
import { recordConnection } from "#domain/uptime.ts";
import type { FleetRecord } from "#worker/objects/agent-link/fleet-record.ts";
import type { Presence } from "#worker/db/servers/server-presence.ts";

/** Times are Unix milliseconds. A connection whose end was not observed ends at `lastSeenAt`. */
const Stored = z.strictObject({
  connectedAt: z.nullable(z.number()),
  lastSeenAt: z.number(),
  connectedMsByDay: z.record(z.string(), z.number()),
  agentVersion: z.string(),
  agentMismatch: z.nullable(z.strictObject({ protocol: z.int(), at: z.number() })),
  disk: z.nullable(Disk),
  /** Rises with each change that must be written to D1; `written` is the last written change. */
  revision: z.int(),
  written: z.int(),
});
type Stored = z.infer<typeof Stored>;
const storedPresence = storedAs(Stored);

/** What an agent reports about itself. */
type AgentReport = {
  readonly agent_version: string;
  readonly disk: Disk;
  readonly isolation: Growing<IsolationLevel>;
  readonly policy: Growing<PolicyLevel>;
  readonly tools?: ToolReport[] | undefined;
  readonly containers?: Containers | undefined;
  readonly ingress_problem?: string | undefined;
  readonly fleet?: FleetReport | undefined;
  readonly balance?: BalanceReports | undefined;
};

/** What an agent reports only when it connects. */
type ConnectReport = AgentReport & { readonly capabilities: readonly string[] };

const KEY = "presence";
/** Their own keys, because each is only sometimes reported. */
const SEAL_KEY = "seal_key";
const CAPABILITIES = "capabilities";
const ISOLATION = "isolation";
const POLICY = "policy";
const TOOLS = "tools";
const CONTAINERS = "containers";
const INGRESS_PROBLEM = "ingress_problem";
const FLEET_REPORT = "fleet_report";
const BALANCE = "balance";
const REGION = "region";
const TAKEOVER = "takeover";

/** An alarm is due at most a minute after the agent has disconnected. */
const RECENT_MS = 2 * 60_000;

/** When an agent that was running lost its link to another one with the same credential. */
const Takeover = z.strictObject({ at: z.number(), credentialHash: z.string() });
const storedTakeover = storedAs(z.optional(Takeover));

const storedSealKey = storedAs(z.optional(z.nullable(SealKey)));
const storedCapabilities = storedAs(z.optional(z.array(z.string())));
const storedIsolation = storedAs(z.optional(z.nullable(growing(IsolationLevel))));
const storedPolicy = storedAs(z.optional(z.nullable(growing(PolicyLevel))));
const storedFleet = storedAs(z.optional(FleetReport));
const storedBalance = storedAs(z.optional(BalanceReports));
const storedTools = storedAs(z.optional(z.nullable(z.array(ToolReport))));
const storedContainers = storedAs(z.optional(z.nullable(Containers)));

export type PresenceRevision = { readonly presence: Presence; readonly revision: number };

/**
 * When a server's agent was connected, and its last report about itself, in the link's own storage. D1 gets a copy for
 * lists. All methods are synchronous and write only to this storage.
 */
export class PresenceRecord {
  readonly #kv: SyncKvStorage;
  readonly #fleet: FleetRecord;

  constructor(storage: DurableObjectStorage, fleet: FleetRecord) {
    this.#kv = storage.kv;
    this.#fleet = fleet;
  }

  /** 0: never. */
  lastSeenAt(): number {
    return this.#load()?.lastSeenAt ?? 0;
  }

  /** What the server's status follows from; null: its agent has never sent a hello. */
  condition(): ServerCondition | null {
    const stored = this.#load();
    if (stored === null) return null;
    const ingressProblem = this.#ingressProblem() ?? null;
    return { isConnected: stored.connectedAt !== null, hasBeenSeen: true, disk: stored.disk, ingressProblem };
  }

  #ingressProblem(): string | null | undefined {
    return z.optional(z.nullable(z.string())).parse(this.#kv.get(INGRESS_PROBLEM));
  }

  isConnected(): boolean {
    return (this.#load()?.connectedAt ?? null) !== null;
  }

  /** Records a sign of life, only here: it is written to D1 with the next change. */
  touch(seenAt: number): void {
    const stored = this.#load();
    if (stored !== null && seenAt > stored.lastSeenAt) this.#save({ ...stored, lastSeenAt: seenAt });
  }

  /** Where an agent connects from, before its hello. @param region null: unknown, so that the last one stays */
  noteRegion(region: Region | null): void {
    if (region !== null && this.#kv.get(REGION) !== region) this.#kv.put(REGION, region);
  }

  /** An agent that was running has lost its link to another one with the same credential. */
  takenOver(now: number, credentialHash: string): void {
    const stored = this.#load();
    if (stored === null) return;
    this.#kv.put(TAKEOVER, { at: now, credentialHash } satisfies z.infer<typeof Takeover>);
    this.#change(stored);
  }

  /** An agent connects with this credential. A credential of a new enrollment is on one machine only. */
  noteCredential(credentialHash: string): void {
    if (this.#takeover()?.credentialHash !== credentialHash) this.#kv.delete(TAKEOVER);
  }

  #takeover(): z.infer<typeof Takeover> | null {
    return storedTakeover.parse(this.#kv.get(TAKEOVER)) ?? null;
  }

  /**
   * An agent has connected. If the end of the connection before was not observed, the control plane has restarted and
   * lost its sockets: the time since then counts as connected, because the agent did not end the connection.
   * @param sealKey null: the agent has none
   * @param isReplaced the agent's socket of before was still open, so that its last sign of life is known
   */
  connected(now: number, report: ConnectReport, sealKey: SealKey | null, isReplaced: boolean): void {
    const { agent_version, disk } = report;
    const before = this.#load();
    if (!isReplaced && before !== null && before.connectedAt !== null) this.#save(closed(before, now));
    this.#kv.put(SEAL_KEY, sealKey);
    this.#keepCapabilities(report.capabilities);
    this.#keepOptional(report);
    this.#begin(now, { connectedAt: now, agentVersion: agent_version, agentMismatch: null, disk });
  }

  /** An agent with another protocol was refused, and no other agent is connected. */
  mismatched(now: number, { agent_version, protocol }: { agent_version: string; protocol: number }): void {
    this.#begin(now, {
      connectedAt: null,
      agentVersion: agent_version,
      agentMismatch: { protocol, at: now },
      disk: this.#load()?.disk ?? null,
    });
  }

  /** An agent has sent a hello. An earlier connection ends at its last sign of life. */
  #begin(now: number, hello: Omit<Stored, "lastSeenAt" | "connectedMsByDay" | "revision" | "written">): void {
    const before = this.#load();
    const ended = before === null ? null : closed(before, null);
    this.#change({
      ...hello,
      lastSeenAt: Math.max(now, ended?.lastSeenAt ?? 0),
      connectedMsByDay: ended?.connectedMsByDay ?? {},
      revision: before?.revision ?? 0,
      written: before?.written ?? 0,
    });
  }

  seen(now: number, report: Omit<AgentReport, "agent_version">): void {
    const stored = this.#load();
    if (stored === null) return;
    this.#keepOptional(report);
    this.#change({ ...stored, lastSeenAt: Math.max(stored.lastSeenAt, now), disk: report.disk });
  }

  /** They change only with an update of the agent, so most connections write nothing. */
  #keepCapabilities(capabilities: readonly string[]): void {
    const before = this.#capabilities();
    if (JSON.stringify(before) !== JSON.stringify(capabilities)) this.#kv.put(CAPABILITIES, capabilities);
  }

  #capabilities(): string[] | undefined {
    return storedCapabilities.parse(this.#kv.get(CAPABILITIES));
  }

  /** Fields that the agent omits are unknown from now on. */
  #keepOptional(report: Omit<AgentReport, "agent_version">): void {
    const { isolation, policy, tools, containers, ingress_problem: problem } = report;
    this.#kv.put(ISOLATION, isolation);
    this.#kv.put(POLICY, policy);
    this.#kv.put(TOOLS, tools ?? null);
    this.#kv.put(CONTAINERS, containers ?? null);
    this.#kv.put(INGRESS_PROBLEM, problem ?? null);
    this.#keepFleet(report);
  }

  /** A report is kept while Caddy does not run: the address and the authority are the same afterwards. */
  #keepFleet({ fleet, balance }: Pick<AgentReport, "fleet" | "balance">): void {
    const known = storedBalance.parse(this.#kv.get(BALANCE)) ?? [];
    if (JSON.stringify(known) !== JSON.stringify(balance ?? [])) this.#kv.put(BALANCE, balance ?? []);
    if (fleet === undefined || JSON.stringify(this.#fleetReport()) === JSON.stringify(fleet)) return;
    this.#kv.put(FLEET_REPORT, fleet);
    this.#fleet.noteChanged();
  }

  #fleetReport(): FleetReport | undefined {
    return storedFleet.parse(this.#kv.get(FLEET_REPORT));
  }

  /** The agent was sent something about other servers, or has answered that. */
  noteFleetChanged(): void {
    const stored = this.#load();
    if (stored !== null) this.#change(stored);
  }

  /** @param endedAt null: unknown; the connection ends at the last sign of life */
  disconnected(endedAt: number | null): void {
    const stored = this.#load();
    if (stored !== null && stored.connectedAt !== null) this.#change(closed(stored, endedAt));
  }

  /**
   * The control plane did not run from `dueAt`, when the alarm was due, until `now`. The time counts as connected if the
   * agent was connected shortly before; otherwise the server was offline, and stays it.
   */
  notObserved(dueAt: number, now: number): void {
    const stored = this.#load();
    if (stored === null) return;
    const { connectedAt, lastSeenAt, connectedMsByDay } = stored;
    const wasConnected = connectedAt !== null || lastSeenAt >= dueAt - RECENT_MS;
    if (!wasConnected || lastSeenAt >= now) return;
    const ended = connectedAt === null ? connectedMsByDay : closed(stored, null).connectedMsByDay;
    this.#change({
      ...stored,
      connectedAt: null,
      connectedMsByDay: recordConnection(ended, lastSeenAt, now),
    });
  }

  /** What to write to D1; null: D1 is up to date. */
  unwritten(): PresenceRevision | null {
    const stored = this.#load();
    if (stored === null || stored.revision === stored.written) return null;
    const { revision, written: _written, ...presence } = stored;
    const sealKey = storedSealKey.parse(this.#kv.get(SEAL_KEY));
    const isolation = storedIsolation.parse(this.#kv.get(ISOLATION));
    const policy = storedPolicy.parse(this.#kv.get(POLICY));
    const tools = storedTools.parse(this.#kv.get(TOOLS));
    const containers = storedContainers.parse(this.#kv.get(CONTAINERS));
    const ingressProblem = this.#ingressProblem();
    const detectedRegion = z.optional(Region).parse(this.#kv.get(REGION));
    const takenOverAt = this.#takeover()?.at ?? null;
    const agent = { isolation, policy, tools, containers, ingressProblem, detectedRegion, takenOverAt };
    const fromHello = { sealKey, capabilities: this.#capabilities() };
    const answer = this.#fleet.answer();
    const out = storedBalance.parse(this.#kv.get(BALANCE)) ?? [];
    const fleet = { fleet: this.#fleetReport(), fleetSet: answer === null ? undefined : { ...answer, out } };
    return { presence: { ...presence, ...agent, ...fromHello, ...fleet }, revision };
  }

  noteWritten({ revision }: PresenceRevision): void {
    const stored = this.#load();
    if (stored !== null) this.#save({ ...stored, written: Math.max(stored.written, revision) });
  }

  forget(): void {
    this.#kv.delete(SEAL_KEY);
    this.#kv.delete(CAPABILITIES);
    this.#kv.delete(ISOLATION);
    this.#kv.delete(POLICY);
    this.#kv.delete(TOOLS);
    this.#kv.delete(CONTAINERS);
    this.#kv.delete(INGRESS_PROBLEM);
    this.#kv.delete(FLEET_REPORT);
    this.#kv.delete(BALANCE);
    this.#fleet.forget();
    this.#kv.delete(REGION);
    this.#kv.delete(TAKEOVER);
    this.#kv.delete(KEY);
  }

  #load(): Stored | null {
    const value = this.#kv.get(KEY);
    return value === undefined ? null : storedPresence.parse(value);
  }

  #change(stored: Stored): void {
    this.#save({ ...stored, revision: stored.revision + 1 });
  }

  #save(stored: Stored): void {
    this.#kv.put(KEY, stored);
  }
}

function closed(stored: Stored, endedAt: number | null): Stored {
  const { connectedAt, lastSeenAt, connectedMsByDay } = stored;
  const end = endedAt ?? lastSeenAt;
  const byDay =
    connectedAt === null ? connectedMsByDay : recordConnection(connectedMsByDay, connectedAt, end);
  return {
    ...stored,
    connectedAt: null,
    lastSeenAt: Math.max(lastSeenAt, end),
    connectedMsByDay: byDay,
  };
}
