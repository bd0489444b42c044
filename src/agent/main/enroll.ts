import { connectionPath, writeConnection } from "#agent/context/connection-file.ts";
import { forgetDrain } from "#agent/ingress/drain.ts";
import { forgetFleet } from "#agent/ingress/fleet/fleet-file.ts";
import type { AgentConnection } from "#contract/agent-connection.ts";
import { beginAttempt, endAttempt } from "#agent/main/enrolment-attempt.ts";
import { endpointUrl } from "#agent/lib/http/control-plane.ts";
import { sendRequest } from "#agent/lib/http/send-request.ts";
import { messageOf } from "#contract/lib/message-of.ts";
import { AGENT_VERSION } from "#agent/context/version.ts";
import { type EnrollInput, Enrolled, PROTOCOL_VERSION } from "#contract/agent-protocol.ts";
import { agentEndpoints } from "#contract/endpoints/agents/endpoints.ts";
import { parseJson } from "#contract/parse-json.ts";
import { Problem } from "#contract/problems.ts";
import { parseKnown } from "#contract/tolerant.ts";
import { wellFormedJson } from "#contract/well-formed.ts";

export type EnrollRequest = {
  readonly url: string;
  readonly token: string;
  readonly home: string;
  readonly hostname: string;
  readonly proxy: URL | null;
  readonly timeoutMs: number;
};

export type EnrollEnd =
  | { readonly kind: "enrolled"; readonly connection: AgentConnection }
  | {
      readonly kind: "unreachable" | "token_refused" | "protocol_mismatch" | "failed";
      readonly message: string;
    };

/**
 * Exchanges the enrolment token for this server's credential, and stores the credential in the home folder. If the
 * answer is lost, or the credential cannot be written, the same token works again from the same home folder.
 */
export async function enroll(request: EnrollRequest): Promise<EnrollEnd> {
  let attempt: string;
  try {
    attempt = await beginAttempt(request.home, request.token);
  } catch (error) {
    const message = `${request.home} is not writable, so the token was not used: ${messageOf(error)}`;
    return { kind: "failed", message };
  }
  const input: EnrollInput = {
    token: request.token,
    attempt,
    hostname: request.hostname.slice(0, 255),
    agent_version: AGENT_VERSION,
    protocol: PROTOCOL_VERSION,
  };
  const answer = await sendRequest({
    url: endpointUrl(request.url, agentEndpoints.enrollAgent.path),
    method: "POST",
    proxy: request.proxy,
    headers: { "content-type": "application/json" },
    body: wellFormedJson(input),
    timeoutMs: request.timeoutMs,
    maxBodyBytes: 64 * 1024,
  });
  if (answer.kind !== "answered") {
    const why = answer.kind === "failed" ? answer.reason : "no answer in time";
    return { kind: "unreachable", message: `${request.url} cannot be reached: ${why}` };
  }
  const body = parseJson(answer.body);
  const enrolled = parseKnown(Enrolled, body);
  if (answer.status === 201 && enrolled.success) {
    const connection = { url: request.url, ...enrolled.data };
    try {
      await forgetDrain(request.home);
      await forgetFleet(request.home);
      await writeConnection(request.home, connection);
    } catch (error) {
      const path = connectionPath(request.home);
      const message = `${path} cannot be written, but the token works again from this home folder: ${messageOf(error)}`;
      return { kind: "failed", message };
    }
    await endAttempt(request.home);
    return { kind: "enrolled", connection };
  }
  const problem = parseKnown(Problem, body);
  // A final refusal ends the attempt. After any other answer it can be repeated.
  if (problem.success && answer.status < 500 && answer.status !== 429) await endAttempt(request.home);
  const why = problem.success ? problem.data.detail : `it answered ${answer.status}`;
  const hint =
    answer.status === 401
      ? " An enrolment token works once, within one hour. Create a new one for the server."
      : "";
  const isMismatch = problem.success && problem.data.code === "protocol_mismatch";
  const kind = answer.status === 401 ? "token_refused" : isMismatch ? "protocol_mismatch" : "failed";
  return { kind, message: `${request.url} refused the enrolment: ${why}${hint}` };
}
