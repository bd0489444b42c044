import { readConnection } from "#agent/context/connection-file.ts";
import { describePolicy } from "#agent/policy/policy-level.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import type { ConnectionEnd } from "#agent/link/connect.ts";
import { writeLinkStatus } from "#agent/link/link-status.ts";
import { reportContainers } from "#agent/report/report-containers.ts";
import { PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { installCommand } from "#contract/public-paths.ts";

/** The end of a connection after which the agent does not connect again. */
export type LinkEnd = Extract<ConnectionEnd, { kind: "closed" | "refused" }>;

type AfterEnd = { readonly kind: "retry"; readonly delayMs: number } | LinkEnd;

/**
 * Decides when the agent connects again. Logs each new reason once, not for each try, and writes the status that
 * `gantry-agent status` shows.
 */
export type LinkRetries = {
  /** Call it at each welcome. */
  connected(): void;
  afterEnd(end: ConnectionEnd): Promise<AfterEnd>;
};

export function createLinkRetries(context: AgentContext): LinkRetries {
  const { settings, log } = context;
  let failures = 0;
  let lastMismatch: string | null = null;
  let lastReason: string | null = null;
  /** When the credential was first refused since the last welcome, by the monotonic clock. */
  let refusedAt: number | null = null;

  function backOff(): number {
    failures += 1;
    return retryDelayMs(failures, context.random(), settings);
  }

  function afterMismatch(protocol: number | null): AfterEnd {
    const message = explainMismatch(protocol, context.connection.url);
    writeStatus(context, message);
    if (message !== lastMismatch) log(`${message} The agent tries again every few minutes.`);
    lastMismatch = message;
    return { kind: "retry", delayMs: settings.mismatchRetryMs * (0.8 + 0.4 * context.random()) };
  }

  /** The server's row may be missing only while the control plane's database is being restored, so the agent waits. */
  async function afterRefusedCredential(end: LinkEnd): Promise<AfterEnd> {
    const now = context.clock.monotonic();
    if (refusedAt === null) {
      refusedAt = now;
      writeStatus(context, "it refuses this server's credential");
    }
    if (now - refusedAt >= settings.refusedGiveUpMs || (await isEnrolledAgain(context))) return end;
    if (now === refusedAt) log(refusedMessage(context));
    return { kind: "retry", delayMs: backOff() };
  }

  function afterLoss({
    reason,
    wasWelcome,
    retryAfterMs,
  }: Extract<ConnectionEnd, { kind: "lost" }>): AfterEnd {
    const delayMs = retryAfterMs + backOff();
    if (wasWelcome || reason !== lastReason) {
      log(`${context.connection.url} cannot be reached: ${reason}; trying again`);
      writeStatus(context, `it cannot be reached: ${reason}`);
    }
    lastReason = reason;
    return { kind: "retry", delayMs };
  }

  return {
    connected() {
      failures = 0;
      lastMismatch = null;
      lastReason = null;
      refusedAt = null;
      writeStatus(context, null);
      log(`connected to ${context.connection.url}`);
    },
    async afterEnd(end) {
      switch (end.kind) {
        case "mismatch":
          return afterMismatch(end.protocol);
        case "lost":
          return afterLoss(end);
        case "refused":
          return end.refusal === "credential_refused" ? await afterRefusedCredential(end) : end;
        case "closed":
          return end;
      }
    },
  };
}

/** @param reason why there is no link; `null` when there is one */
function writeStatus(context: AgentContext, reason: string | null): void {
  const { url, server_id } = context.connection;
  const since = new Date(context.clock.now()).toISOString();
  writeLinkStatus(context.home, {
    ...{ pid: process.pid, agent_version: AGENT_VERSION, protocol: PROTOCOL_VERSION },
    ...{ url, server_id, connected: reason === null, since, reason },
    isolation: context.isolation.kind,
    policy: describePolicy(context.policy),
    tools: context.tools.latest ?? undefined,
    containers: reportContainers(context),
  });
}

/** Whether the server was enrolled again: the agent's next start uses the new credential. */
async function isEnrolledAgain({ home, connection }: AgentContext): Promise<boolean> {
  const read = await readConnection(home);
  return read.kind === "found" && read.connection.credential !== connection.credential;
}

function refusedMessage({ connection, settings }: AgentContext): string {
  const minutes = Math.ceil(settings.refusedGiveUpMs / 60_000);
  return `${connection.url} refuses this server's credential. The agent tries again for ${minutes} minutes, in case the control plane's database is being restored.`;
}

/** @param theirs the control plane's protocol version; `null` when it sent none */
function explainMismatch(theirs: number | null, url: string): string {
  const install = `${installCommand(url)} | sh`;
  if (theirs === null)
    return `This agent speaks protocol ${PROTOCOL_VERSION}, and the control plane another version. Install the agent that the control plane provides: ${install}.`;
  const versions = `This agent speaks protocol ${PROTOCOL_VERSION}, the control plane ${theirs}.`;
  return theirs > PROTOCOL_VERSION
    ? `${versions} Update the agent: ${install}.`
    : `${versions} Update the control plane, or install the agent that it provides: ${install}.`;
}
