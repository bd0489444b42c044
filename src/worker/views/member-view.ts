import type {
  Grant as GrantView,
  GrantInput,
  Invitation,
  Member,
} from "#contract/endpoints/members/schemas.ts";
import type { Grant } from "#domain/members/member-permissions.ts";
import { onceEach } from "#domain/token-grant.ts";
import { ExtraScope } from "#contract/roles.ts";
import type { InvitationReading } from "#worker/db/members/join-records.ts";
import type { MemberReading } from "#worker/db/members/member-records.ts";
import { timestamp, timestampOrNull } from "#worker/views/timestamp.ts";

/** A member in the API. */
export function memberView(reading: MemberReading): Member {
  return {
    id: reading.id,
    name: reading.name,
    email: reading.email,
    is_owner: reading.isOwner,
    grants: reading.grants.map(grantView),
    passkeys: reading.passkeys,
    created_at: timestamp(reading.createdAt),
    last_used_at: timestampOrNull(reading.lastUsedAt),
  };
}

/** An invitation in the API, without its link. */
export function invitationView(reading: InvitationReading): Invitation {
  return {
    id: reading.id,
    email: reading.email,
    grants: reading.grants.map(grantView),
    invited_by: reading.invitedBy,
    created_at: timestamp(reading.createdAt),
    expires_at: timestamp(reading.expiresAt),
  };
}

/** A grant in the API. */
export function grantView({ role, projectIds, extra }: Grant): GrantView {
  return {
    role,
    project_ids: projectIds === null ? null : [...projectIds],
    extra_scopes: [...extra],
  };
}

/** A grant of the API as it is stored: each project and scope once. */
export function grantOf({ role, project_ids: projectIds, extra_scopes: extra }: GrantInput): Grant {
  return {
    role,
    projectIds: onceEach(projectIds),
    extra: ExtraScope.options.filter((one) => extra.includes(one)),
  };
}
