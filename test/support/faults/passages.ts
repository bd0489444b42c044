import * as z from "zod";

import { RunEvents, RunEventsAnswer } from "#contract/agent-events.ts";
import { FromAgent, ToAgent } from "#contract/agent-protocol.ts";

/** A request, answer or message that passes through a proxy. Bodies and messages are parsed JSON; `null` where they are not JSON. */
export type Passage =
  | { readonly kind: "request"; readonly method: string; readonly path: string; readonly body: unknown }
  | {
      readonly kind: "answer";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      /** The body of the request. */
      readonly asked: unknown;
      readonly body: unknown;
    }
  | { readonly kind: "to-agent"; readonly message: unknown }
  | { readonly kind: "from-agent"; readonly message: unknown }
  | { readonly kind: "close"; readonly code: number };

/** What the proxy does with a passage. A dropped request or answer also breaks its connection; a dropped message does not. */
export type Fate = "pass" | "drop" | "twice" | "dribble";

const EVENTS_PATH = /^\/v1\/agent\/deployments\/[^/]+\/events$/;

/** An agent's report about a run; `null` for any other passage. */
export function reportOf(passage: Passage): RunEvents | null {
  if (passage.kind !== "request" && passage.kind !== "answer") return null;
  if (!EVENTS_PATH.test(passage.path)) return null;
  return RunEvents.safeParse(passage.kind === "request" ? passage.body : passage.asked).data ?? null;
}

/** The Worker's answer to a report; `null` for any other passage and for refusals. */
export function answerOf(passage: Passage): RunEventsAnswer | null {
  if (passage.kind !== "answer" || passage.status !== 200 || !EVENTS_PATH.test(passage.path)) return null;
  return RunEventsAnswer.safeParse(passage.body).data ?? null;
}

export function messageToAgent(passage: Passage): ToAgent | null {
  return passage.kind === "to-agent" ? (ToAgent.safeParse(passage.message).data ?? null) : null;
}

export function messageFromAgent(passage: Passage): FromAgent | null {
  return passage.kind === "from-agent" ? (FromAgent.safeParse(passage.message).data ?? null) : null;
}

const Started = z.object({ id: z.string(), version: z.int() });

/** Whether the passage is the 201 of a start or a rollback. */
export function isStartAnswer(passage: Passage): boolean {
  return (
    passage.kind === "answer" &&
    passage.status === 201 &&
    /^\/v1\/(?:deploy|rollback|projects\/[^/]+\/deployments)$/.test(passage.path) &&
    Started.safeParse(passage.body).success
  );
}
