import * as z from "zod";

import { FromAgent, RunEvents, RunEventsAnswer, ToAgent } from "#contract/agent-protocol.ts";

/** Something that passes through a proxy. Bodies and messages are JSON, `null` where they are none. */
export type Passage =
  | { readonly kind: "request"; readonly method: string; readonly path: string; readonly body: unknown }
  | {
      readonly kind: "answer";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      /** What was asked. */
      readonly asked: unknown;
      readonly body: unknown;
    }
  | { readonly kind: "to-agent"; readonly message: unknown }
  | { readonly kind: "from-agent"; readonly message: unknown }
  | { readonly kind: "close"; readonly code: number };

/** What becomes of it. A dropped request or answer also breaks its connection; a dropped message is just not there. */
export type Fate = "pass" | "drop" | "twice" | "dribble";

const EVENTS_PATH = /^\/v1\/agent\/deployments\/[^/]+\/events$/;

/** What an agent reports of a run; `null` for anything else. */
export function reportOf(passage: Passage): RunEvents | null {
  if (passage.kind !== "request" && passage.kind !== "answer") return null;
  if (!EVENTS_PATH.test(passage.path)) return null;
  return RunEvents.safeParse(passage.kind === "request" ? passage.body : passage.asked).data ?? null;
}

/** What an agent is answered to a report; `null` for anything else, refusals too. */
export function answerOf(passage: Passage): RunEventsAnswer | null {
  if (passage.kind !== "answer" || passage.status !== 200 || !EVENTS_PATH.test(passage.path)) return null;
  return RunEventsAnswer.safeParse(passage.body).data ?? null;
}

export function toldAgent(passage: Passage): ToAgent | null {
  return passage.kind === "to-agent" ? (ToAgent.safeParse(passage.message).data ?? null) : null;
}

export function toldByAgent(passage: Passage): FromAgent | null {
  return passage.kind === "from-agent" ? (FromAgent.safeParse(passage.message).data ?? null) : null;
}

const Started = z.object({ id: z.string(), version: z.int() });

/** Whether it is the 201 of a start or a rollback. */
export function isStartAnswer(passage: Passage): boolean {
  return (
    passage.kind === "answer" &&
    passage.status === 201 &&
    /^\/v1\/(?:deploy|rollback|projects\/[^/]+\/deployments)$/.test(passage.path) &&
    Started.safeParse(passage.body).success
  );
}
