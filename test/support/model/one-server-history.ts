import type { RunEvent } from "#contract/agent-events.ts";
import { CommitSha } from "#contract/git-names.ts";
import { DeploymentId, RunId, ServerId } from "#contract/ids.ts";
import { PROJECT, report } from "../lane.ts";
import { defaultPlan } from "../plan.ts";

/** The active deployment of a lane, as far as a history must know it. */
type ActiveRun = {
  readonly id: DeploymentId;
  readonly runId: RunId;
  readonly serverId: ServerId;
  readonly version: number;
  readonly reuseRelease: number | null;
  readonly ackedSeq: number;
};

type Request = ReturnType<typeof requestFor>;

/** A decision: what it answers or refuses, as text. */
type Decided<Lane> = { readonly lane: Lane; readonly answer: string };

/** The lane of a project with one server, whatever its values look like. */
export type LaneUnderTest<Lane> = {
  readonly empty: Lane;
  readonly start: (lane: Lane, request: Request, now: number) => Decided<Lane>;
  readonly rollBack: (lane: Lane, request: Request, now: number) => Decided<Lane>;
  readonly apply: (lane: Lane, request: Request, now: number, restart: readonly string[]) => Decided<Lane>;
  readonly cancel: (lane: Lane, id: DeploymentId, now: number) => Decided<Lane>;
  readonly remove: (lane: Lane, id: DeploymentId, now: number) => Decided<Lane>;
  readonly events: (
    lane: Lane,
    run: Pick<ActiveRun, "runId" | "serverId"> & { readonly deploymentId: DeploymentId },
    events: readonly RunEvent[],
    now: number,
  ) => Decided<Lane>;
  readonly hello: (
    lane: Lane,
    hello: {
      readonly serverId: ServerId;
      readonly report: ReturnType<typeof report> | null;
      readonly runIds: readonly RunId[];
    },
    now: number,
  ) => Decided<Lane>;
  readonly alarm: (lane: Lane, now: number) => Decided<Lane>;
  /** Sends what is due. */
  readonly send: (lane: Lane, isDelivered: boolean, now: number) => Lane;
  readonly active: (lane: Lane) => ActiveRun | null;
  readonly ids: (lane: Lane) => readonly DeploymentId[];
  readonly deadline: (lane: Lane) => number | null;
  /** Everything that others see of it: deployments, messages, placements. */
  readonly picture: (lane: Lane, now: number) => string;
};

const STEPS = 120;
const COMMITS = ["a", "b"].map((digit) => CommitSha.parse(digit.repeat(40)));
const STAGES = ["fetch", "install", "build", "release", "start", "activate", "verify"] as const;
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** Numbers that look random, and are the same for the same seed. */
class Chance {
  #state: number;
  #made = 0;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return this.#state / 0x7fffffff;
  }

  isSo(share: number): boolean {
    return this.next() < share;
  }

  one<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[Math.floor(this.next() * values.length)] ?? values[0];
  }

  /** A number of an id. */
  id(prefix: string): string {
    this.#made += 1;
    let rest = this.#made;
    const digits = Array.from({ length: 6 }, () => {
      const digit = DIGITS[rest % DIGITS.length];
      rest = Math.floor(rest / DIGITS.length);
      return digit;
    });
    return `${prefix}_${"0".repeat(20)}${digits.toReversed().join("")}`;
  }
}

function requestFor(chance: Chance, serverId: ServerId) {
  return {
    id: DeploymentId.parse(chance.id("dpl")),
    runId: RunId.parse(chance.id("run")),
    serverId,
    queue: chance.one(["all", "all", "latest"] as const),
    plan: {
      ...defaultPlan,
      release_command: chance.one([null, "migrate"]),
      domain: chance.one(["a.example", "a.example", "b.example"]),
    },
    approval: chance.one(["none", "none", "none", "required"] as const),
    emergency: chance.one([null, null, null, null, "fire"]),
  };
}

/** What a lane decides in a history of requests, reports and faults, a line for each step. */
export function traceOf<Lane>(seed: number, lanes: LaneUnderTest<Lane>): readonly string[] {
  const chance = new Chance(seed);
  const servers = [ServerId.parse(chance.id("srv")), ServerId.parse(chance.id("srv"))] as const;
  const kept = new Map<ServerId, Set<number>>(servers.map((id) => [id, new Set()]));
  const trace: string[] = [];
  let lane = lanes.empty;
  let now = 1_000_000;
  const note = (what: string, decided: Decided<Lane>) => {
    lane = decided.lane;
    trace.push(`${what}: ${decided.answer} | ${lanes.picture(lane, now)}`);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const what = chance.one([
      ...(["start", "start", "rollback", "apply", "cancel", "delete", "tell", "tell", "lose"] as const),
      ...(["events", "events", "events", "events", "events", "hello", "wait", "alarm"] as const),
    ]);
    const serverId = chance.isSo(0.75) ? servers[0] : servers[1];
    const request = requestFor(chance, serverId);
    const restart = chance.one([[], [], ["web"]]);
    const active = lanes.active(lane);
    switch (what) {
      case "start":
        note(what, lanes.start(lane, request, now));
        break;
      case "rollback":
        note(what, lanes.rollBack(lane, request, now));
        break;
      case "apply":
        note(what, lanes.apply(lane, request, now, restart));
        break;
      case "cancel":
      case "delete": {
        const [first, ...others] = lanes.ids(lane);
        if (first === undefined) break;
        const id = chance.one([first, ...others]);
        note(what, what === "cancel" ? lanes.cancel(lane, id, now) : lanes.remove(lane, id, now));
        break;
      }
      case "tell":
      case "lose":
        lane = lanes.send(lane, what === "tell", now);
        trace.push(`${what} | ${lanes.picture(lane, now)}`);
        break;
      case "events": {
        if (active === null) break;
        const there = kept.get(active.serverId) ?? new Set();
        const events = eventsOf(chance, active, there);
        const { id: deploymentId, runId } = active;
        const from = chance.isSo(0.05) ? servers[1] : active.serverId;
        note(what, lanes.events(lane, { deploymentId, runId, serverId: from }, events, now));
        break;
      }
      case "hello": {
        const there = kept.get(serverId) ?? new Set();
        if (chance.isSo(0.2)) there.delete(chance.one([0, ...there]));
        const releases = [...there];
        const said = chance.isSo(0.8) ? report(chance.one([null, ...releases]), releases) : null;
        const runIds = active !== null && chance.isSo(0.6) ? [active.runId] : [];
        note(what, lanes.hello(lane, { serverId, report: said, runIds }, now));
        break;
      }
      case "wait":
        now += chance.one([1_000, 10_000, 30_000, 300_000, 1_000_000]);
        break;
      case "alarm": {
        const late = chance.one([0, 0, 0, 100_000]);
        now = Math.max(now + 1, lanes.deadline(lane) ?? 0) + late;
        note(what, lanes.alarm(lane, now));
        break;
      }
    }
  }
  return trace;
}

function eventsOf(chance: Chance, active: ActiveRun, there: Set<number>): RunEvent[] {
  const events: RunEvent[] = [];
  const release = active.reuseRelease ?? active.version;
  const sha = chance.one([COMMITS[0] ?? "", COMMITS[0] ?? "", COMMITS[1] ?? ""]);
  const count = chance.one([1, 2, 3, 4]);
  for (let nth = 1; nth <= count; nth += 1) {
    const seq = active.ackedSeq + nth + (chance.isSo(0.05) ? 1 : 0);
    const type = chance.one([
      "stage",
      "stage",
      "resolved",
      "ready",
      "ready",
      "live",
      "live",
      "failed",
      "canceled",
    ]);
    if (type === "stage") events.push({ seq, type, stage: chance.one(STAGES) });
    else if (type === "resolved") events.push({ seq, type, commit_sha: sha, commit_message: "Change" });
    else if (type === "ready") events.push({ seq, type });
    else {
      if (type === "live") there.add(release);
      const project = { ...report(type === "live" ? release : null, [...there]), project_id: PROJECT };
      const evidence = { target: `releases/${release}`, commit_sha: sha, health_check: null };
      const failure = { code: "build_failed", message: "exit code 1", stage: "build" } as const;
      const result =
        type === "live"
          ? ({ outcome: "live", release, evidence } as const)
          : type === "failed"
            ? ({ outcome: "failed", failure } as const)
            : ({ outcome: "canceled" } as const);
      events.push({ seq, type: "result", result, project });
      break;
    }
  }
  return events;
}
