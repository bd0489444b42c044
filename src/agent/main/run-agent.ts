import { createAgent } from "#agent/lifecycle/agent.ts";
import type { LinkRefusal } from "#agent/link/connect.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { createLink } from "#agent/link/link.ts";

/** `null` when the agent was asked to stop; otherwise why it cannot continue, as a sentence. */
export type AgentEnd = string | null;

/** Runs the agent until the signal is aborted or the control plane refuses it. */
export async function runAgent(context: AgentContext, signal: AbortSignal): Promise<AgentEnd> {
  const link = createLink(context);
  const agent = createAgent(context, link);
  await agent.start();
  const closing = new AbortController();
  const closed = new Promise<{ readonly kind: "closed" }>((resolve) => {
    if (signal.aborted) resolve({ kind: "closed" });
    signal.addEventListener("abort", () => resolve({ kind: "closed" }), { once: true });
  });
  // The link stays open until the runs have stopped, so that the control plane receives their results before it
  // considers this server lost.
  const end = await Promise.race([link.keep(agent, closing.signal), closed]);
  await agent.stop();
  closing.abort();
  return end.kind === "closed" ? null : explain(end.refusal, context.connection.url);
}

function explain(refusal: LinkRefusal, url: string): string {
  switch (refusal) {
    case "credential_refused":
      return `${url} refuses this server's credential. Create a new enrolment token for the server and enrol it again.`;
    case "replaced":
      return "Another agent of this server has taken over the link. Only one can run: stop one of them.";
  }
}
