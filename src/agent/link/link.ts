import type { Agent } from "#agent/lifecycle/agent.ts";
import { connect, type LinkHandlers, type OpenConnection } from "#agent/link/connect.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { createLinkRetries, type LinkEnd } from "#agent/link/link-retries.ts";
import { pause } from "#contract/lib/pause.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import type { FromAgent } from "#contract/agent-protocol.ts";

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
      const retries = createLinkRetries(context);
      const handlers: LinkHandlers = {
        hello: () => keptAgent.hello(),
        onMessage: (message) => keptAgent.handle(message),
        onUnreadableOrder: (run, problem) => keptAgent.refuse(run, problem),
        onWelcome() {
          retries.connected();
          keptAgent.reconnected();
        },
        log,
      };
      try {
        for (;;) {
          open = connect(context, handlers, signal);
          const end = await open.ended;
          open = null;
          const next = await retries.afterEnd(end);
          if (next.kind !== "retry") return next;
          await pause(next.delayMs, signal);
          if (signal.aborted) return { kind: "closed" };
        }
      } finally {
        clearInterval(statuses);
      }
    },
  };
}
