import type { Event } from "#contract/endpoints/events/schemas.ts";
import { keepOfAnswer, nextRequest } from "#domain/notify/next-request.ts";
import { type AttemptEnd, problemOfEnd } from "#domain/outlet/after-attempt.ts";
import type { OutgoingRequest, OutletMemory, TargetAnswer } from "#domain/outlet/outgoing-request.ts";
import { maskTarget } from "#domain/outlet/shown-target.ts";
import type { ProjectSelection } from "#domain/outlet/selection.ts";
import type { TargetRule } from "#domain/outlet/target-rule.ts";
import { signedHeaders } from "#sealing/standard-webhook.ts";
import type { StoredAttempt, StoredDelivery } from "#worker/objects/outlet/stored-delivery.ts";
import { activeSecrets, type StoredTarget } from "#worker/objects/outlet/outlet-record.ts";
import { type Sent, sendRequest } from "#worker/objects/outlet/send-request.ts";

/** A delivery with several requests ends after this many, in case its kind never finds an end. */
const MAX_REQUESTS = 6;
const MAX_SHOWN = 1024;

/** What an attempt needs besides its delivery. */
export type AttemptContext = {
  readonly env: Env;
  /**
   * As of now: somebody may change the address while earlier requests of the attempt are under way. null: the webhook is
   * gone, or it no longer selects the delivery.
   */
  readonly target: (delivery: Sendable) => StoredTarget | null;
  /** Why the target may not get the event, as a sentence; null: it may. */
  readonly problemOf: (target: StoredTarget, event: Event) => Promise<string | null>;
  readonly rule: (target: StoredTarget) => TargetRule;
  readonly memory: () => OutletMemory;
  readonly keep: (entries: OutletMemory) => void;
  readonly now: () => number;
};

/** How an attempt ended; null: there was nothing to send. `requests`: how many it took. */
export type Attempt = {
  readonly end: AttemptEnd;
  readonly attempt: StoredAttempt;
  readonly requests: number;
} | null;

/** `projects`: what the delivery is about. */
export type Sendable = Pick<StoredDelivery, "event" | "outcomeBefore"> & {
  readonly projects: ProjectSelection;
};

/** Sends a delivery once: all its requests, until one fails. Saves what later deliveries need of each answer. */
export async function makeAttempt(delivery: Sendable, context: AttemptContext): Promise<Attempt> {
  const { event, outcomeBefore } = delivery;
  const at = context.now();
  const answers: TargetAnswer[] = [];
  let last: Sent | null = null;
  let sentTo: StoredTarget | null = null;
  while (answers.length < MAX_REQUESTS) {
    const target = context.target(delivery);
    if (target === null) break;
    const { settings, origin } = target;
    const input = { event, settings, origin, outcomeBefore, memory: context.memory(), answers };
    const request = nextRequest(input);
    if (request === null) break;
    sentTo = target;
    const problem = answers.length === 0 ? await context.problemOf(target, event) : null;
    if (problem !== null) {
      last = { end: { kind: "withheld", problem }, body: "" };
      break;
    }
    last = await sendRequest(
      context.env,
      await signed(request, delivery, target, context.now()),
      context.rule(target),
    );
    if (last.end.kind !== "answered" || problemOfEnd(last.end) !== null) break;
    answers.push({ status: last.end.status, body: last.body });
    context.keep(keepOfAnswer({ ...input, answers }));
  }
  if (last === null) return null;
  const attempt = {
    at,
    status: last.end.kind === "answered" ? last.end.status : null,
    durationMs: context.now() - at,
    problem: problemOfEnd(last.end),
    answer: shownAnswer(last.body, sentTo, at),
  };
  return { end: last.end, attempt, requests: Math.max(answers.length, 1) };
}

/**
 * A target may repeat the request in its answer: so the secrets of that time are masked, also if somebody has changed
 * them since.
 */
function shownAnswer(body: string, target: StoredTarget | null, now: number): string {
  if (target === null) return "";
  const signing = activeSecrets(target, now).map(({ secret }) => secret);
  return maskTarget(body, target.settings, signing).slice(0, MAX_SHOWN);
}

/** The time is the attempt's: receivers refuse requests whose time is more than some minutes ago. */
async function signed(
  request: OutgoingRequest,
  { event }: Sendable,
  target: StoredTarget,
  now: number,
): Promise<OutgoingRequest> {
  if (target.settings.kind !== "standard") return request;
  const secrets = activeSecrets(target, now).map(({ secret }) => secret);
  const content = { id: event.id, timestamp: Math.floor(now / 1000), body: request.body };
  return { ...request, headers: { ...request.headers, ...(await signedHeaders(secrets, content)) } };
}
