import * as z from "zod/mini";

import { listBetween, listUpTo, textBetween, wholeBetween } from "#contract/bounds.ts";
import { OfferedConnection } from "#contract/endpoints/connections/reference.ts";
import { MemberReference } from "#contract/endpoints/members/reference.ts";
import { DisplayName } from "#contract/endpoints/projects/settings.ts";
import { NewPasskey, PasskeyChallenge } from "#contract/endpoints/sessions/passkeys.ts";
import { growing } from "#contract/growing.ts";
import { firstHidden } from "#contract/hidden-text.ts";
import { InvitationId, MemberId, ProjectId, TokenId, TrustRuleId } from "#contract/ids.ts";
import { NextCursor } from "#contract/paging.ts";
import { ExtraScope, Role } from "#contract/roles.ts";

/** The maximum number of members of an account, and of its open invitations. */
export const MAX_MEMBERS = 200;

export const DEFAULT_INVITATION_DAYS = 7;
export const MAX_INVITATION_DAYS = 30;
const MAX_GRANTS = 20;
const MAX_PROJECT_IDS = 1_000;

/** One address in lower case, so that two spellings of an address are one. Two addresses should not look the same either. */
export const EmailAddress = textBetween(3, 254).check(
  z.toLowerCase(),
  z.regex(/^[^\s@,;<>]+@[^\s@,;<>]+$/, "must be an e-mail address"),
  z.refine(
    (address) => firstHidden(address) === null && !/\p{Cc}/u.test(address),
    "must not contain invisible characters",
  ),
);

/** A role in some projects, or in the whole account, and scopes that it does not include. */
export const GrantInput = z.strictObject({
  role: Role,
  project_ids: z._default(z.nullable(listBetween(ProjectId, 1, MAX_PROJECT_IDS)), null),
  extra_scopes: z._default(listUpTo(ExtraScope, ExtraScope.options.length), []),
});
export type GrantInput = z.infer<typeof GrantInput>;

const Grants = listBetween(GrantInput, 1, MAX_GRANTS);

/** The same in an answer. `project_ids`: null: the whole account. */
export const Grant = z.strictObject({
  role: growing(Role),
  project_ids: z.nullable(z.array(ProjectId)),
  extra_scopes: z.array(growing(ExtraScope)),
});
export type Grant = z.infer<typeof Grant>;

/**
 * A person in an account. The grants add up; an owner may do everything. `passkeys`: how many the person has. `last_used_at`: the
 * first use of one of the person's sessions and tokens in the hour of the last use.
 */
export const Member = z.strictObject({
  id: MemberId,
  name: z.string(),
  email: z.nullable(z.string()),
  is_owner: z.boolean(),
  grants: z.array(Grant),
  passkeys: z.int(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
});
export type Member = z.infer<typeof Member>;

export const CreatedToken = z.strictObject({ id: TokenId, name: z.string() });
export const CreatedTrustRule = z.strictObject({ id: TrustRuleId, name: z.string() });

/** What a person has created that outlives them: service tokens and trust rules. */
export const MemberDetails = z.extend(Member, {
  created: z.strictObject({
    tokens: z.array(CreatedToken),
    trust_rules: z.array(CreatedTrustRule),
  }),
});
export type MemberDetails = z.infer<typeof MemberDetails>;

export const MemberRows = z.strictObject({ members: z.array(Member), next_cursor: NextCursor });
export type MemberRows = z.infer<typeof MemberRows>;

/** `is_owner`: only owners change it. */
export const UpdateMemberInput = z.strictObject({
  name: z.optional(DisplayName),
  email: z.optional(z.nullable(EmailAddress)),
  is_owner: z.optional(z.boolean()),
  grants: z.optional(Grants),
});
export type UpdateMemberInput = z.infer<typeof UpdateMemberInput>;

/** A new passkey, and the person whose it will be. `passkey_name`: of the device or the password manager. */
const joining = { name: DisplayName, passkey: NewPasskey, passkey_name: DisplayName };

export const CreateOwnerInput = z.strictObject({
  ...joining,
  email: z._default(z.nullable(EmailAddress), null),
});
export type CreateOwnerInput = z.infer<typeof CreateOwnerInput>;

/** `email`: the address of the person; a mail with the link is sent there if the installation can send mail. */
export const CreateInvitationInput = z.strictObject({
  email: z._default(z.nullable(EmailAddress), null),
  grants: Grants,
  expires_in_days: z._default(wholeBetween(1, MAX_INVITATION_DAYS), DEFAULT_INVITATION_DAYS),
});
export type CreateInvitationInput = z.infer<typeof CreateInvitationInput>;

/** `invited_by`: null: a service token. */
export const Invitation = z.strictObject({
  id: InvitationId,
  email: z.nullable(z.string()),
  grants: z.array(Grant),
  invited_by: z.nullable(MemberReference),
  created_at: z.string(),
  expires_at: z.string(),
});
export type Invitation = z.infer<typeof Invitation>;

/** The response to an invitation. `link` is secret and not shown again. `is_mailed`: whether a mail with it is sent. */
export const InvitationWithLink = z.extend(Invitation, { link: z.string(), is_mailed: z.boolean() });
export type InvitationWithLink = z.infer<typeof InvitationWithLink>;

export const InvitationRows = z.strictObject({
  invitations: z.array(Invitation),
  next_cursor: NextCursor,
});
export type InvitationRows = z.infer<typeof InvitationRows>;

const InvitationCode = textBetween(1, 200);

export const LookUpInvitationInput = z.strictObject({ code: InvitationCode });
export type LookUpInvitationInput = z.infer<typeof LookUpInvitationInput>;

/**
 * What a person who has the link may know before joining. `challenge`: for their first passkey. `connections`: the providers by
 * which they can join instead.
 */
export const FoundInvitation = z.strictObject({
  account: z.string(),
  invited_by: z.nullable(z.string()),
  email: z.nullable(z.string()),
  grants: z.array(Grant),
  expires_at: z.string(),
  connections: z.array(OfferedConnection),
  challenge: PasskeyChallenge,
});
export type FoundInvitation = z.infer<typeof FoundInvitation>;

export const AcceptInvitationInput = z.strictObject({ ...joining, code: InvitationCode });
export type AcceptInvitationInput = z.infer<typeof AcceptInvitationInput>;
