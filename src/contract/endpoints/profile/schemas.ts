import * as z from "zod/mini";

import { OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import { EmailAddress, Member } from "#contract/endpoints/members/schemas.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { NewPasskey } from "#contract/endpoints/sessions/passkeys.ts";
import { Token } from "#contract/endpoints/tokens/schemas.ts";
import { ConnectionId, IdentityId, PasskeyId } from "#contract/ids.ts";

/** The maximum number of passkeys of a member. */
export const MAX_PASSKEYS = 20;

/** The maximum number of identities of a member. */
export const MAX_IDENTITIES = 20;

/** How many recovery codes a member gets at once. */
export const RECOVERY_CODES = 8;

/**
 * A passkey of a member. `rp_id`: the host name at which it works. `is_synced`: whether it is on several devices of the person.
 * `last_used_at`: when it last signed in or confirmed; null: never.
 */
export const Passkey = z.strictObject({
  id: PasskeyId,
  name: z.string(),
  rp_id: z.string(),
  is_synced: z.boolean(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
});
export type Passkey = z.infer<typeof Passkey>;

/**
 * What a provider calls a member. `name`: the address or the login that it gave at the last sign-in; null: none.
 * `last_used_at`: the last sign-in; null: none yet.
 */
export const Identity = z.strictObject({
  id: IdentityId,
  connection: z.strictObject({ id: ConnectionId, name: z.string() }),
  subject: z.string(),
  name: z.nullable(z.string()),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
});
export type Identity = z.infer<typeof Identity>;

/** The person of the session. `recovery_codes`: how many are left. `connections`: where identities can be added. */
export const Profile = z.strictObject({
  member: Member,
  passkeys: z.array(Passkey),
  identities: z.array(Identity),
  connections: z.array(OfferedConnection),
  recovery_codes: z.int(),
});
export type Profile = z.infer<typeof Profile>;

export const UpdateProfileInput = z.strictObject({
  name: z.optional(DisplayName),
  email: z.optional(z.nullable(EmailAddress)),
});
export type UpdateProfileInput = z.infer<typeof UpdateProfileInput>;

export const AddPasskeyInput = z.strictObject({ name: DisplayName, passkey: NewPasskey });
export type AddPasskeyInput = z.infer<typeof AddPasskeyInput>;

export const UpdatePasskeyInput = z.strictObject({ name: DisplayName });
export type UpdatePasskeyInput = z.infer<typeof UpdatePasskeyInput>;

/** Each works once. They are not shown again. */
export const RecoveryCodes = z.strictObject({ codes: z.array(z.string()) });
export type RecoveryCodes = z.infer<typeof RecoveryCodes>;

/** The sessions and the personal tokens of the person, newest first. */
export const OwnTokens = z.strictObject({ tokens: z.array(Token) });
export type OwnTokens = z.infer<typeof OwnTokens>;
