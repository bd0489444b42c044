import { membersIn, removeOtherBalances, writeBalance } from "#agent/ingress/fleet/balance-files.ts";
import { firstHealth, type Health, nextHealth, type Verdict } from "#agent/ingress/fleet/choose-members.ts";
import { nameOfMember } from "#agent/ingress/fleet/fleet-names.ts";
import { type BalancedSite, type Member, membersOf } from "#agent/ingress/fleet/resolve-fleet.ts";
import { sendRequest } from "#agent/lib/http/send-request.ts";
import type { BalanceReports } from "#contract/agent-fleet.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";
import type { ProjectId, ServerId } from "#contract/ids.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { pause } from "#contract/lib/pause.ts";

export type MemberWatchOptions = {
  readonly slots: string;
  /** Caddy's socket for the agent's checks, which leads to each member. */
  readonly check: string;
  /** How often each member is asked. */
  readonly everyMs: number;
  readonly log: (message: string) => void;
};

/** Looks which members of balanced projects take requests, and leads the requests to those. No control plane is needed. */
export type MemberWatch = {
  /** Leads the requests of these projects from now on. Call it before Caddy is configured for them. @throws the file system's error */
  set(sites: readonly BalancedSite[]): Promise<void>;
  /** Forgets all other projects. Call it when Caddy no longer leads their requests. Never throws. */
  removeOthers(): Promise<void>;
  /** The members of each project that do not answer. */
  report(): BalanceReports;
  /** Asks the members until the signal is aborted. Never throws. */
  watch(signal: AbortSignal): Promise<void>;
};

/** Longer than Caddy waits for a member, so that Caddy answers in any case. */
const ANSWER_MS = 5_000;
/** The ids of a thousand projects. */
const MAX_ANSWER_BYTES = 64 * 1024;

const changes: Readonly<Record<Verdict, string>> = {
  ready: "takes requests",
  draining: "is drained, and gets no more requests",
  silent: "does not answer as a ready server, and gets no more requests",
  absent: "has no release, and gets no requests",
};

export function createMemberWatch({ slots, check, everyMs, log }: MemberWatchOptions): MemberWatch {
  /** By project and member. */
  const health = new Map<string, Health>();
  const asked = new Set<ServerId>();
  let sites: readonly BalancedSite[] = [];
  /** Files are written in sequence, so that the newest verdicts win. */
  let last: Promise<unknown> = Promise.resolve();

  const keyOf = (project: ProjectId, server: ServerId) => `${project} ${server}`;
  const healthOf = (project: ProjectId, server: ServerId): Health =>
    health.get(keyOf(project, server)) ?? firstHealth(false);

  function inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = last.then(act);
    last = done.catch(() => undefined);
    return done;
  }

  const lead = (site: BalancedSite) =>
    writeBalance(slots, site, (server) => healthOf(site.project, server).verdict);

  async function ask({ server, dial }: Member): Promise<void> {
    const answer = await askMember(check, server);
    if (answer === null) return;
    const changed: BalancedSite[] = [];
    const said = new Set<Verdict>();
    for (const site of sites) {
      const before = health.get(keyOf(site.project, server));
      if (before === undefined) continue;
      const after = nextHealth(before, answer(site.project));
      health.set(keyOf(site.project, server), after);
      if (after.verdict === before.verdict) continue;
      changed.push(site);
      said.add(after.verdict);
    }
    for (const site of changed)
      await inTurn(() => lead(site)).catch((error: unknown) =>
        log(`${site.project}: its requests could not be led to other servers: ${messageOf(error)}`),
      );
    for (const verdict of said) log(`the server ${server} at ${dial} ${changes[verdict]}`);
  }

  return {
    set: (wanted) =>
      inTurn(async () => {
        sites = wanted;
        const keys = sites.flatMap(({ project, members }) =>
          members.map(({ server }) => keyOf(project, server)),
        );
        for (const key of health.keys()) if (!keys.includes(key)) health.delete(key);
        for (const site of sites) {
          const served = await membersIn(slots, site);
          for (const { server } of site.members) {
            const key = keyOf(site.project, server);
            if (!health.has(key)) health.set(key, firstHealth(served.includes(server)));
          }
          await lead(site);
        }
      }),
    removeOthers: () => inTurn(() => removeOtherBalances(slots, sites)).catch(() => undefined),
    report: () =>
      sites.map(({ project, members }) => ({
        project_id: project,
        out: members.flatMap(({ server }) => {
          const { verdict, isChecked } = healthOf(project, server);
          return verdict === "silent" && isChecked ? [server] : [];
        }),
      })),
    async watch(signal) {
      while (!signal.aborted) {
        for (const member of membersOf(sites)) {
          if (asked.has(member.server)) continue;
          asked.add(member.server);
          void ask(member).finally(() => asked.delete(member.server));
        }
        await pause(everyMs, signal);
      }
    },
  };
}

/** What a member says about each project. */
type MemberAnswer = (project: ProjectId) => Verdict;

/** @returns null if this server's Caddy does not answer, or does not know the member yet. Never throws. */
async function askMember(check: string, server: ServerId): Promise<MemberAnswer | null> {
  const answer = await sendRequest({
    url: new URL(`http://${nameOfMember(server)}${READY_PATH}`),
    method: "GET",
    socketPath: check,
    timeoutMs: ANSWER_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  if (answer.kind !== "answered" || answer.status === 404) return null;
  const [word = "", ...projects] = answer.body.split("\n");
  if (word !== "ready" && word !== "draining") return () => "silent";
  const served = new Set(projects);
  return (project) => (served.has(project) ? word : "absent");
}
