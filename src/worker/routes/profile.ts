import { profileEndpoints } from "#contract/endpoints/profile/endpoints.ts";
import { forTokens } from "#worker/http/routes.ts";
import { answer } from "#worker/http/responses.ts";
import {
  createOwnToken,
  endOwnSessions,
  listOwnTokens,
  revokeOwnToken,
} from "#worker/operations/profile/own-tokens.ts";
import {
  addPasskey,
  createRecoveryCodes,
  removePasskey,
  updatePasskey,
} from "#worker/operations/profile/passkeys.ts";
import { addIdentity, removeIdentity } from "#worker/operations/profile/identities.ts";
import { getProfile, updateProfile } from "#worker/operations/profile/profile.ts";

export const profileRoutes = forTokens(profileEndpoints, {
  getProfile: (context) => answer(getProfile(context)),
  updateProfile: (context, { body }) => answer(updateProfile(context, body)),
  addPasskey: (context, { body }) => answer(addPasskey(context, body)),
  updatePasskey: (context, { params, body }) => answer(updatePasskey(context, params.passkey_id, body)),
  removePasskey: (context, { params }) => answer(removePasskey(context, params.passkey_id)),
  addIdentity: (context, { body }) => answer(addIdentity(context, body)),
  removeIdentity: (context, { params }) => answer(removeIdentity(context, params.identity_id)),
  createRecoveryCodes: (context) => answer(createRecoveryCodes(context)),
  listOwnTokens: (context) => answer(listOwnTokens(context)),
  createOwnToken: (context, { body }) => answer(createOwnToken(context, body)),
  revokeOwnToken: (context, { params }) => answer(revokeOwnToken(context, params.token_id)),
  endOwnSessions: (context) => answer(endOwnSessions(context)),
});
