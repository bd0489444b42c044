import { membersIn, removeOtherBalances, writeBalance } from "#agent/ingress/fleet/balance-files.ts";
import { firstHealth, type Health, nextHealth, type Verdict } from "#agent/ingress/fleet/choose-members.ts";
import { nameOfMember } from "#agent/ingress/fleet/fleet-names.ts";
import { type BalancedSite, type Member, membersOf } from "#agent/ingress/fleet/resolve-fleet.ts";
import { sendRequest } from "#agent/lib/http/send-request.ts";
import type { BalanceReports } from "#contract/agent-fleet.ts";
import { READY_PATH } from "#contract/endpoints/servers/ready-path.ts";
import type { ServerId } from "#contract/ids.ts";
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
const MAX_ANSWER_BYTES = 256;

const changes: Readonly<Record<Verdict, string>> = {
  ready: "takes requests again",
  draining: "is drained, and gets no more requests",
  silent: "does not answer as a ready server, and gets no more requests",
};

export function createMemberWatch({ slots, check, everyMs, log }: MemberWatchOptions): MemberWatch {
  const health = new Map<ServerId, Health>();
  const asked = new Set<ServerId>();
  let sites: readonly BalancedSite[] = [];
  /** Files are written in sequence, so that the newest verdicts win. */
  let last: Promise<unknown> = Promise.resolve();

  const healthOf = (server: ServerId): Health => health.get(server) ?? firstHealth(false);
  const verdictOf = (server: ServerId): Verdict => healthOf(server).verdict;

  function inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = last.then(act);
    last = done.catch(() => undefined);
    return done;
  }

  /** @param of null: all projects */
  async function lead(of: ServerId | null): Promise<void> {
    for (const site of sites)
      if (of === null || site.members.some(({ server }) => server === of))
        await writeBalance(slots, site, verdictOf);
  }

  async function ask(member: Member): Promise<void> {
    const seen = await askMember(check, member.server);
    const before = health.get(member.server);
    // It may have been removed meanwhile.
    if (seen === null || before === undefined) return;
    const after = nextHealth(before, seen);
    health.set(member.server, after);
    if (after.verdict === before.verdict) return;
    log(`the server ${member.server} at ${member.dial} ${changes[after.verdict]}`);
    await inTurn(() => lead(member.server)).catch((error: unknown) =>
      log(`requests could not be led to other servers: ${messageOf(error)}`),
    );
  }

  return {
    set: (wanted) =>
      inTurn(async () => {
        sites = wanted;
        const members = new Set(membersOf(sites).map(({ server }) => server));
        for (const server of health.keys()) if (!members.has(server)) health.delete(server);
        for (const site of sites) {
          const served = await membersIn(slots, site);
          for (const { server } of site.members)
            if (!health.has(server)) health.set(server, firstHealth(served.includes(server)));
        }
        await lead(null);
      }),
    removeOthers: () => inTurn(() => removeOtherBalances(slots, sites)).catch(() => undefined),
    report: () =>
      sites.map(({ project, members }) => ({
        project_id: project,
        out: members.flatMap(({ server }) => {
          const { verdict, isChecked } = healthOf(server);
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

/** @returns null if this server's Caddy does not answer, or does not know the member yet. Never throws. */
async function askMember(check: string, server: ServerId): Promise<Verdict | null> {
  const answer = await sendRequest({
    url: new URL(`http://${nameOfMember(server)}${READY_PATH}`),
    method: "GET",
    socketPath: check,
    timeoutMs: ANSWER_MS,
    maxBodyBytes: MAX_ANSWER_BYTES,
  });
  if (answer.kind !== "answered" || answer.status === 404) return null;
  if (answer.status === 200) return "ready";
  return answer.status === 503 && answer.body.startsWith("draining") ? "draining" : "silent";
}
