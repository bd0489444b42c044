import { memberEndpoints } from "#contract/endpoints/members/endpoints.ts";
import { forAnyone, forTokens } from "#worker/http/routes.ts";
import { answer, answerPage } from "#worker/http/responses.ts";
import {
  createInvitation,
  deleteInvitation,
  getInvitation,
  listInvitations,
} from "#worker/operations/members/invitations.ts";
import { acceptInvitation, createOwner, lookUpInvitation } from "#worker/operations/members/join.ts";
import { getMember, listMembers, removeMember, updateMember } from "#worker/operations/members/members.ts";

export const memberRoutes = forTokens(memberEndpoints, {
  listMembers: (context, { query, url }) => answerPage(listMembers(context, query), url),
  getMember: (context, { params }) => answer(getMember(context, params.member_id)),
  updateMember: (context, { params, body }) => answer(updateMember(context, params.member_id, body)),
  removeMember: (context, { params }) => answer(removeMember(context, params.member_id)),
  createOwner: (context, { body }) =>
    answer(createOwner(context, body), ({ id }) => ({ location: `/v1/members/${id}` })),
  listInvitations: (context, { query, url }) => answerPage(listInvitations(context, query), url),
  getInvitation: (context, { params }) => answer(getInvitation(context, params.invitation_id)),
  createInvitation: (context, { body }) =>
    answer(createInvitation(context, body), ({ id }) => ({ location: `/v1/invitations/${id}` })),
  deleteInvitation: (context, { params }) => answer(deleteInvitation(context, params.invitation_id)),
});

export const joinRoutes = forAnyone(memberEndpoints, {
  lookUpInvitation: (context, { body }) => answer(lookUpInvitation(context, body)),
  acceptInvitation: (context, { body }) => answer(acceptInvitation(context, body)),
});
