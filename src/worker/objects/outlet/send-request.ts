import { ATTEMPT_TIMEOUT_MS, type AttemptEnd } from "#domain/outlet/after-attempt.ts";
import type { OutgoingRequest } from "#domain/outlet/outgoing-request.ts";
import type { TargetRule } from "#domain/outlet/target-rule.ts";
import { sendMail } from "#worker/mail/send-mail.ts";
import { readTarget } from "#worker/objects/outlet/target-rule.ts";

/** How a request ended, and the beginning of the answer's body. */
export type Sent = { readonly end: AttemptEnd; readonly body: string };

const USER_AGENT = "Gantry-Webhooks/1";
/** How much of an answer is read. */
const MAX_ANSWER_BYTES = 4096;
const ACCEPTED = 200;
const BAD_REQUEST = 400;

/** Sends one request. Never throws, and takes at most 20 seconds, also if the answer comes drop by drop. */
export async function sendRequest(env: Env, request: OutgoingRequest, rule: TargetRule): Promise<Sent> {
  const { method, url, headers, body } = request;
  const target = readTarget(url, rule);
  if (!target.ok) return { end: { kind: "not_sent", problem: target.problem }, body: "" };
  if (target.value.protocol === "mailto:") return await mailed(env, body);
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  try {
    const response = await fetch(target.value, {
      method,
      headers: { "user-agent": USER_AGENT, ...headers },
      body: method === "GET" ? null : body,
      // A redirect could lead to where a webhook must not. "error" would throw what a lost connection throws too.
      redirect: "manual",
      signal,
    });
    const answer = await readBeginning(response.body);
    const isAccepted = response.status === BAD_REQUEST && saysAccepted(request, answer);
    const status = isAccepted ? ACCEPTED : response.status;
    const retryAfter = response.headers.get("retry-after");
    return { end: { kind: "answered", status, retryAfter }, body: answer };
  } catch {
    return { end: { kind: signal.aborted ? "timed_out" : "connection_failed" }, body: "" };
  }
}

async function mailed(env: Env, body: string): Promise<Sent> {
  const problem = await sendMail(env, body);
  if (problem !== null) return { end: { kind: "not_sent", problem }, body: "" };
  return { end: { kind: "answered", status: ACCEPTED, retryAfter: null }, body: "" };
}

function saysAccepted({ acceptedProblem }: OutgoingRequest, answer: string): boolean {
  return acceptedProblem !== null && answer.includes(acceptedProblem);
}

/** Reads the first 4 KiB, and cancels the rest. */
async function readBeginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  while (length < MAX_ANSWER_BYTES) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const piece = value.subarray(0, MAX_ANSWER_BYTES - length);
    length += piece.length;
    text += decoder.decode(piece, { stream: true });
  }
  // Without waiting for it: the target may not notice.
  reader.cancel().catch(() => undefined);
  return text;
}
