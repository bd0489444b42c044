import { createAgent } from "#agent/lifecycle/agent.ts";
import type { LinkRefusal } from "#agent/link/connect.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { createLink } from "#agent/link/link.ts";

/** `null` when the agent was told to end; otherwise why it cannot go on, as a sentence for a person. */
export type AgentEnd = string | null;

/** The agent's whole life, until the signal is aborted or the control plane does not want it. */
export async function runAgent(context: AgentContext, signal: AbortSignal): Promise<AgentEnd> {
  const link = createLink(context);
  const agent = createAgent(context, link);
  await agent.start();
  const closing = new AbortController();
  const told = new Promise<{ readonly kind: "closed" }>((resolve) => {
    if (signal.aborted) resolve({ kind: "closed" });
    signal.addEventListener("abort", () => resolve({ kind: "closed" }), { once: true });
  });
  // The link outlives the runs, so that the control plane does not take this server for lost before it hears of them.
  const end = await Promise.race([link.keep(agent, closing.signal), told]);
  await agent.stop();
  closing.abort();
  return end.kind === "closed" ? null : explain(end.refusal, context.connection.url);
}

function explain(refusal: LinkRefusal, url: string): string {
  switch (refusal) {
    case "credential_refused":
      return `${url} refuses this server's credential. Make a new enrolment token for the server and enrol it again.`;
    case "replaced":
      return "Another agent of this server has taken over the link. Only one may run: end one of them.";
  }
}
