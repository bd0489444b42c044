import type { Agent } from "#agent/lifecycle/agent.ts";
import { retryDelayMs } from "#agent/lib/retry-delay.ts";
import { readConnection } from "#agent/context/connection-file.ts";
import { connect, type LinkRefusal, type OpenConnection } from "#agent/link/connect.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { writeLinkStatus } from "#agent/link/link-status.ts";
import { pause } from "#contract/lib/pause.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { installCommand } from "#contract/public-paths.ts";
import { type FromAgent, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";

export type LinkEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "refused"; readonly refusal: LinkRefusal };

/** The agent's permanent connection, which is opened again whenever it is lost. */
export type Link = {
  /** Runs until the signal is aborted, or the control plane refuses this agent. */
  keep(agent: Agent, signal: AbortSignal): Promise<LinkEnd>;
  /** Sends a `status` message, if there is a connection. */
  readonly announce: () => void;
  /** Sends a message, if there is a connection. */
  readonly send: (message: FromAgent) => void;
};

export function createLink(context: AgentContext): Link {
  const { settings, log } = context;
  let agent: Agent | null = null;
  let open: OpenConnection | null = null;

  /** @param reason why there is no link; `null` when there is one */
  function writeStatus(reason: string | null): void {
    const { url, server_id } = context.connection;
    const since = new Date(context.clock.now()).toISOString();
    writeLinkStatus(context.home, {
      ...{ pid: process.pid, agent_version: AGENT_VERSION, protocol: PROTOCOL_VERSION },
      ...{ url, server_id, connected: reason === null, since, reason },
      isolation: context.isolation.kind,
      tools: context.tools.latest ?? undefined,
    });
  }

  function announce(): void {
    const connection = open;
    if (agent === null || connection === null) return;
    agent.status().then(
      (status) => connection.send(status),
      (error: unknown) => log(`could not send the status: ${messageOf(error)}`),
    );
  }

  return {
    announce,
    send: (message) => open?.send(message),
    async keep(keptAgent, signal) {
      agent = keptAgent;
      const statuses = setInterval(announce, settings.statusMs);
      let failures = 0;
      let lastMismatch: string | null = null;
      let lastReason: string | null = null;
      /** When the credential was first refused since the last `welcome`, by the monotonic clock. */
      let refusedAt: number | null = null;
      try {
        for (;;) {
          open = connect(
            context,
            {
              hello: () => keptAgent.hello(),
              onMessage: (message) => keptAgent.handle(message),
              onWelcome: () => {
                failures = 0;
                lastMismatch = null;
                lastReason = null;
                refusedAt = null;
                writeStatus(null);
                log(`connected to ${context.connection.url}`);
              },
              log,
            },
            signal,
          );
          const end = await open.ended;
          open = null;
          let delayMs: number;
          if (end.kind === "mismatch") {
            const message = explainMismatch(end.protocol, context.connection.url);
            writeStatus(message);
            // Logged once for each version, not for each try.
            if (message !== lastMismatch) log(`${message} The agent tries again every few minutes.`);
            lastMismatch = message;
            delayMs = settings.mismatchRetryMs * (0.8 + 0.4 * context.random());
          } else if (end.kind === "refused" && end.refusal === "credential_refused") {
            const now = context.clock.monotonic();
            if (refusedAt === null) {
              refusedAt = now;
              writeStatus("it refuses this server's credential");
            }
            // The server's row may be missing only while the control plane's database is being restored.
            if (now - refusedAt >= settings.refusedGiveUpMs || (await isEnrolledAgain(context))) return end;
            if (now === refusedAt) log(refusedMessage(context));
            failures += 1;
            delayMs = retryDelayMs(failures, context.random(), settings);
          } else if (end.kind === "lost") {
            failures += 1;
            delayMs = end.retryAfterMs + retryDelayMs(failures, context.random(), settings);
            // Logged once for each loss and each new reason, not for each try.
            if (end.wasWelcome || end.reason !== lastReason) {
              log(`${context.connection.url} cannot be reached: ${end.reason}; trying again`);
              writeStatus(`it cannot be reached: ${end.reason}`);
            }
            lastReason = end.reason;
          } else return end;
          await pause(delayMs, signal);
          if (signal.aborted) return { kind: "closed" };
        }
      } finally {
        clearInterval(statuses);
      }
    },
  };
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
