import { readAll } from "#client/read-all.ts";
import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { MAX_MEMBERS } from "#contract/endpoints/members/schemas.ts";
import type { MemberId } from "#contract/ids.ts";
import { clientOf } from "#dashboard/data/api.ts";
import { freshResources, POLL_MS, resources } from "#dashboard/data/resource.ts";

export const membersApi = clientOf(memberEndpoints);

/** All members of the account. */
export const useMembers = resources(
  () =>
    readAll(
      (request) => membersApi.listMembers(request),
      ({ members }) => members,
      MAX_MEMBERS,
    ),
  POLL_MS,
  "member",
);

/** All open invitations of the account. */
export const useInvitations = resources(
  () =>
    readAll(
      (request) => membersApi.listInvitations(request),
      ({ invitations }) => invitations,
      MAX_MEMBERS,
    ),
  POLL_MS,
  "invitation member",
);

/** A member, with what they have created. */
export const useMember = freshResources((id: MemberId) =>
  membersApi.getMember({ params: { member_id: id } }),
);
