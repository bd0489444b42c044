import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { person, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import { PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import * as schemas from "#contract/endpoints/sessions/schemas.ts";

export const sessionEndpoints = {
  createSignInChallenge: {
    ...post("/v1/sign-in/challenge", { by: "none" }),
    body: z.strictObject({}),
    success: { status: 200, body: PasskeyChallenge },
    problems: ["host_name_required"],
  },
  createSession: {
    ...post("/v1/sessions", { by: "none" }),
    body: schemas.CreateSessionInput,
    success: { status: 201, body: schemas.SessionCreated },
    problems: [
      "invalid_token",
      "invalid_passkey",
      "email_taken",
      "host_name_required",
      "provider_unreachable",
      "rate_limited",
      "sign_in_refused",
      "sso_required",
    ],
  },
  createChallenge: {
    ...post("/v1/session/challenge", token(null)),
    body: schemas.CreateChallengeInput,
    success: { status: 200, body: PasskeyChallenge },
    problems: ["person_required", "host_name_required", "reauthentication_required"],
  },
  confirmSession: {
    ...post("/v1/session/confirm", person),
    body: schemas.ConfirmSessionInput,
    success: { status: 204, body: null },
    problems: [
      "invalid_passkey",
      "host_name_required",
      "provider_unreachable",
      "sign_in_refused",
      "sso_required",
    ],
  },
  endSession: {
    ...remove("/v1/session", token(null)),
    success: { status: 204, body: null },
    problems: ["not_found"],
  },
} as const satisfies Record<string, Endpoint>;
