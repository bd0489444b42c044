import { hostKind } from "#contract/addresses/host-kind.ts";
import { readBytes } from "#worker/http/read-body.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 500_000;

/** A provider does not answer, or not as its protocol demands. `message`: a sentence for an owner of the account. */
export class ProviderFault extends Error {}

/** Why an address must not be asked, as a sentence; null: it may. */
export type TargetProblem = (url: string) => string | null;

/** Why a provider must not be at this address, as a sentence; null: it may. */
export function addressProblem(address: string, targetProblem: TargetProblem): string | null {
  if (!URL.canParse(address)) return "The address is not a valid URL.";
  const { protocol, hostname } = new URL(address);
  // Secrets and tokens are sent there.
  if (protocol !== "https:" && !(protocol === "http:" && hostKind(hostname) === "loopback"))
    return "The address must begin with https://.";
  return targetProblem(address);
}

type Sent = {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | undefined;
};

/**
 * Sends a request to a provider and reads the whole answer, within five seconds. Follows no redirect, which could lead to an address
 * of somebody else.
 * @throws ProviderFault
 */
export async function fetchProvider(
  address: string,
  { method = "GET", headers, body }: Sent,
  targetProblem: TargetProblem,
): Promise<Response> {
  const problem = addressProblem(address, targetProblem);
  if (problem !== null)
    throw new ProviderFault(`${address} cannot be reached from this installation: ${problem}`);
  const answer = await answerWithin(address, { method, headers, body });
  const { status } = answer.response;
  if (status >= 300 && status < 400)
    throw new ProviderFault(
      `${address} redirects to another address, and redirects are not followed. Enter the address that it leads to.`,
    );
  if (status >= 500) throw new ProviderFault(`${address} answers with status ${status}.`);
  if (answer.bytes === null) throw new ProviderFault(`${address} answers with more than ${MAX_BYTES} bytes.`);
  return new Response(answer.bytes, { status, headers: answer.response.headers });
}

async function answerWithin(address: string, { method = "GET", headers, body }: Sent) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, {
      method,
      headers,
      body: body ?? null,
      redirect: "manual",
      signal,
    });
    return { response, bytes: await readBytes(response.body, MAX_BYTES) };
  } catch {
    throw new ProviderFault(`${address} does not answer within ${TIMEOUT_MS / 1000} seconds.`);
  }
}
