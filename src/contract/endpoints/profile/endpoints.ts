import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, person, post, remove } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/profile/schemas.ts";
import { CreateTokenInput, TokenWithSecret } from "#contract/endpoints/tokens/schemas.ts";
import { ProviderAnswer } from "#contract/endpoints/sessions/provider-answer.ts";
import { IdentityId, PasskeyId, TokenId } from "#contract/ids.ts";

const PasskeyParams = z.strictObject({ passkey_id: PasskeyId });
const IdentityParams = z.strictObject({ identity_id: IdentityId });
const TokenParams = z.strictObject({ token_id: TokenId });

/** The endpoints for the person who is signed in. */
export const profileEndpoints = {
  getProfile: {
    ...get("/v1/me", person),
    success: { status: 200, body: schemas.Profile },
  },
  updateProfile: {
    ...patch("/v1/me", person),
    body: schemas.UpdateProfileInput,
    success: { status: 200, body: schemas.Profile },
    problems: ["email_taken", "reauthentication_required"],
  },
  addPasskey: {
    ...post("/v1/me/passkeys", person),
    body: schemas.AddPasskeyInput,
    success: { status: 201, body: schemas.Passkey },
    problems: ["invalid_passkey", "host_name_required", "reauthentication_required", "too_many"],
  },
  updatePasskey: {
    ...patch("/v1/me/passkeys/:passkey_id", person),
    params: PasskeyParams,
    body: schemas.UpdatePasskeyInput,
    success: { status: 200, body: schemas.Passkey },
  },
  removePasskey: {
    ...remove("/v1/me/passkeys/:passkey_id", person),
    params: PasskeyParams,
    success: { status: 204, body: null },
    problems: ["last_passkey", "reauthentication_required"],
  },
  addIdentity: {
    ...post("/v1/me/identities", person),
    body: ProviderAnswer,
    success: { status: 201, body: schemas.Identity },
    problems: ["provider_unreachable", "reauthentication_required", "sign_in_refused", "too_many"],
  },
  removeIdentity: {
    ...remove("/v1/me/identities/:identity_id", person),
    params: IdentityParams,
    success: { status: 204, body: null },
    problems: ["last_passkey", "reauthentication_required"],
  },
  createRecoveryCodes: {
    ...post("/v1/me/recovery-codes", person),
    body: z.strictObject({}),
    success: { status: 201, body: schemas.RecoveryCodes },
    problems: ["reauthentication_required"],
  },
  listOwnTokens: {
    ...get("/v1/me/tokens", person),
    success: { status: 200, body: schemas.OwnTokens },
  },
  createOwnToken: {
    ...post("/v1/me/tokens", person),
    body: CreateTokenInput,
    success: { status: 201, body: TokenWithSecret },
    problems: ["insufficient_scope", "reauthentication_required", "too_many"],
  },
  revokeOwnToken: {
    ...remove("/v1/me/tokens/:token_id", person),
    params: TokenParams,
    success: { status: 204, body: null },
  },
  endOwnSessions: {
    ...remove("/v1/me/sessions", person),
    success: { status: 204, body: null },
  },
} as const satisfies Record<string, Endpoint>;
