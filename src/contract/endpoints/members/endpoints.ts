import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { accountToken, get, patch, post, remove, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/members/schemas.ts";
import { SessionCreated } from "#contract/endpoints/sessions/schemas.ts";
import { InvitationId, MemberId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const MemberParams = z.strictObject({ member_id: MemberId });
const InvitationParams = z.strictObject({ invitation_id: InvitationId });

export const memberEndpoints = {
  listMembers: {
    ...get("/v1/members", accountToken("members:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.MemberRows },
  },
  getMember: {
    ...get("/v1/members/:member_id", accountToken("members:read")),
    params: MemberParams,
    success: { status: 200, body: schemas.MemberDetails },
  },
  updateMember: {
    ...patch("/v1/members/:member_id", accountToken("members:write")),
    params: MemberParams,
    body: schemas.UpdateMemberInput,
    success: { status: 200, body: schemas.Member },
    problems: ["email_taken", "last_owner", "person_required", "reauthentication_required"],
  },
  removeMember: {
    ...remove("/v1/members/:member_id", accountToken("members:write")),
    params: MemberParams,
    success: { status: 204, body: null },
    problems: ["last_owner", "person_required", "reauthentication_required"],
  },
  createOwner: {
    ...post("/v1/owner", token(null)),
    body: schemas.CreateOwnerInput,
    success: { status: 201, body: schemas.Member },
    problems: ["email_taken", "invalid_passkey", "host_name_required", "owner_exists", "person_required"],
  },
  listInvitations: {
    ...get("/v1/invitations", accountToken("members:read")),
    query: PageQuery,
    success: { status: 200, body: schemas.InvitationRows },
  },
  getInvitation: {
    ...get("/v1/invitations/:invitation_id", accountToken("members:read")),
    params: InvitationParams,
    success: { status: 200, body: schemas.Invitation },
  },
  createInvitation: {
    ...post("/v1/invitations", accountToken("members:write")),
    body: schemas.CreateInvitationInput,
    success: { status: 201, body: schemas.InvitationWithLink },
    problems: ["email_taken", "reauthentication_required", "too_many"],
  },
  deleteInvitation: {
    ...remove("/v1/invitations/:invitation_id", accountToken("members:write")),
    params: InvitationParams,
    success: { status: 204, body: null },
  },
  lookUpInvitation: {
    ...post("/v1/invitations/look-up", { by: "none" }),
    body: schemas.LookUpInvitationInput,
    success: { status: 200, body: schemas.FoundInvitation },
    problems: ["invalid_token", "host_name_required", "rate_limited"],
  },
  acceptInvitation: {
    ...post("/v1/invitations/accept", { by: "none" }),
    body: schemas.AcceptInvitationInput,
    success: { status: 201, body: SessionCreated },
    problems: [
      "invalid_token",
      "invalid_passkey",
      "host_name_required",
      "email_taken",
      "rate_limited",
      "sso_required",
    ],
  },
} as const satisfies Record<string, Endpoint>;
