import {
  AuthorizationResponseError,
  JWT_CLAIM_COMPARISON,
  JWT_TIMESTAMP_CHECK,
  KEY_SELECTION,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import * as z from "zod/mini";

import type { ResultOf } from "#contract/lib/result.ts";
import { succeed } from "#contract/lib/result.ts";
import { parseJson } from "#contract/parse-json.ts";
import { ProviderFault } from "#worker/identity/providers/provider-fetch.ts";

/** Why a provider's answer gives no person. `isTemporary`: the provider does not answer. `problem`: a sentence. */
export type ProviderProblem = { readonly problem: string; readonly isTemporary: boolean };

const WRONG_CLIENT =
  "The provider refuses the client: check the client ID and the client secret of the connection, and whether the secret has expired.";

/** Runs a part of the protocol. The library throws what is wrong with an answer. Other errors are bugs. */
export async function attempt<Value>(part: () => Promise<Value>): Promise<ResultOf<Value, ProviderProblem>> {
  try {
    return succeed(await part());
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    return { ok: false, ...problem };
  }
}

const ErrorBody = z.object({ error: z.string(), error_description: z.optional(z.string()) });

/** Some providers answer errors with status 200, which the library takes for a success. @throws what `attempt` reads */
export async function refuseErrorBody(response: Response): Promise<void> {
  const body = ErrorBody.safeParse(parseJson(await response.clone().text()));
  if (!body.success) return;
  const { error, error_description: description = "" } = body.data;
  throw new ResponseBodyError("the provider refuses the code", {
    cause: { error, error_description: description },
    response,
  });
}

/** Whether another key of the provider may have signed. */
export function isAboutKeys(error: unknown): boolean {
  return (
    error instanceof OperationProcessingError &&
    (error.code === KEY_SELECTION || error.message.includes("signature verification failed"))
  );
}

function problemOf(error: unknown): ProviderProblem | null {
  if (error instanceof ProviderFault) return { problem: error.message, isTemporary: true };
  const problem = sentenceOf(error);
  return problem === null ? null : { problem, isTemporary: false };
}

function sentenceOf(error: unknown): string | null {
  if (error instanceof AuthorizationResponseError) return refusedBy(error);
  if (error instanceof WWWAuthenticateChallengeError) return WRONG_CLIENT;
  if (error instanceof ResponseBodyError) {
    if (error.error === "invalid_client" || error.error === "incorrect_client_credentials")
      return WRONG_CLIENT;
    // `bad_verification_code` is GitHub's.
    if (error.error === "invalid_grant" || error.error === "bad_verification_code")
      return "The provider no longer accepts its own answer: it was used, has expired, or belongs to another sign-in. Start again.";
    return refusedBy(error);
  }
  if (error instanceof OperationProcessingError) return ofProcessing(error);
  if (error instanceof UnsupportedOperationError)
    return `The provider does something that is not supported: ${shown(error.message)}.`;
  return null;
}

type Refusal = { readonly error: string; readonly error_description?: string | undefined };

function refusedBy({ error, error_description: description = "" }: Refusal): string {
  const what = description === "" ? shown(error) : `${shown(error)} (${shown(description)})`;
  return `The provider refused the sign-in: ${what}.`;
}

const WRONG_AUDIENCE =
  "The provider's identity token is for another client. Check the client ID of the connection.";

/** By the claim that is not as expected. */
const sentences: ReadonlyMap<string, string> = new Map([
  ["nonce", "The provider's answer belongs to another sign-in. Start again."],
  ["iss", "The provider's identity token names another issuer than the connection."],
  ["aud", WRONG_AUDIENCE],
  ["azp", WRONG_AUDIENCE],
]);

function ofProcessing({ code, cause, message }: OperationProcessingError): string {
  if (code === JWT_TIMESTAMP_CHECK)
    return "The provider's identity token has expired or is not valid yet. Its clock and the clock of this installation differ by more than a minute.";
  if (code === JWT_CLAIM_COMPARISON)
    return (
      sentences.get(claimIn(cause) ?? "") ?? `The provider's identity token is wrong: ${shown(message)}.`
    );
  if (code === KEY_SELECTION)
    return "The provider's identity token is signed with a key that it does not publish.";
  if (message.includes('"iss" (issuer) response parameter'))
    return "The answer names another provider than the connection. Start again.";
  return `The provider's answer is not as OpenID Connect demands: ${shown(message)}.`;
}

function claimIn(cause: unknown): string | null {
  if (typeof cause !== "object" || cause === null || !("claim" in cause)) return null;
  return typeof cause.claim === "string" ? cause.claim : null;
}

const MAX_SHOWN = 200;

/** Text of somebody else, on one line. */
function shown(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ")
    .slice(0, MAX_SHOWN)
    .trim()
    .replace(/\.$/, "");
}
