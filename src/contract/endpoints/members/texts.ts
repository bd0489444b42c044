import { MemberReference } from "#contract/endpoints/members/reference.ts";
import * as schemas from "#contract/endpoints/members/schemas.ts";
import { exampleChallenge, exampleNewPasskey } from "#contract/endpoints/sessions/texts.ts";
import { tokenFields } from "#contract/endpoints/tokens/texts.ts";
import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import {
  choice,
  nested,
  nextCursor,
  object,
  type SchemaText,
} from "#contract/reference/schemas/schema-text.ts";
import { ExtraScope, Role } from "#contract/roles.ts";

const grants = [
  { role: "viewer", project_ids: null, extra_scopes: [] },
  { role: "deployer", project_ids: [example.project], extra_scopes: ["deployments:approve"] },
] as const;

/** Also for the profile, which shows the member. */
export const exampleMember = {
  id: example.member,
  name: "Grace Hopper",
  email: "grace@example.com",
  is_owner: false,
  grants,
  passkeys: 2,
  created_at: "2026-11-02T08:20:00.000Z",
  last_used_at: "2026-11-20T09:04:11.318Z",
} as const;

const inviter = { id: example.owner, name: "Ada Lovelace" } as const;

const invitation = {
  id: example.invitation,
  email: "grace@example.com",
  grants,
  invited_by: inviter,
  created_at: "2026-11-02T08:00:00.000Z",
  expires_at: "2026-11-09T08:00:00.000Z",
} as const;

const joining = { name: "Grace Hopper", passkey: exampleNewPasskey, passkey_name: "Laptop" } as const;

export const memberTexts = {
  listMembers: {
    summary: "List members, newest first",
    description: prose`
      Returns the people of the account, newest first, with what each may do. Without \`limit\`, the response contains all: an
      account can have ${schemas.MAX_MEMBERS}.`,
    answer: { members: [exampleMember], next_cursor: null },
  },
  getMember: {
    summary: "Get a member",
    description: prose`
      Returns one person, and the service tokens and trust rules that the person has created. These continue to work when the person
      is removed.`,
    answer: {
      ...exampleMember,
      created: {
        tokens: [{ id: example.token, name: "CI of shop" }],
        trust_rules: [{ id: example.trustRule, name: "shop, main" }],
      },
    },
  },
  updateMember: {
    summary: "Change a member",
    description: prose`
      Changes the name, the address or the grants of a person. Omitted fields keep their values; \`grants\` is replaced as a whole. A
      change counts for the person's sessions and personal tokens within 10 seconds. If the person may do less than before, open
      invitations that they have made are withdrawn. A caller can only give roles that it has itself
      (403 \`insufficient_scope\`). To change \`grants\` or \`email\`, the session of a member must have been confirmed with a passkey in the last
      10 minutes (403 \`reauthentication_required\`). To change \`email\`, the caller must have all rights of the person.

      Only an owner who is signed in can change an owner or \`is_owner\` (403 \`person_required\`), in a confirmed session. The last
      owner stays (409 \`last_owner\`).`,
    body: { grants: [{ role: "deployer" }] },
    answer: { ...exampleMember, grants: [{ role: "deployer", project_ids: null, extra_scopes: [] }] },
  },
  removeMember: {
    summary: "Remove a member",
    description: prose`
      Removes a person with their passkeys, recovery codes, sessions and personal tokens. Within 10 seconds nothing of theirs is
      accepted, and their streams end. Invitations that they have made and that nobody has accepted are withdrawn. Service tokens and trust rules that they have created stay; \`GET /v1/members/{member_id}\` lists
      them. What the person has started, such as a deployment, continues.

      Only an owner who is signed in can remove an owner. The last owner stays (409 \`last_owner\`).`,
  },
  createOwner: {
    summary: "Create the first owner",
    description: prose`
      Makes the person who has signed in by a sign-in link the owner of the account, and the session theirs. It works once: if the account
      has an owner, the response is 409 \`owner_exists\`. The passkey answers a challenge of \`POST /v1/session/challenge\` with the
      act \`add_passkey\`.`,
    body: { ...joining, name: "Ada Lovelace", email: "ada@example.com" },
    answer: {
      ...exampleMember,
      ...inviter,
      email: "ada@example.com",
      is_owner: true,
      grants: [],
      passkeys: 1,
      last_used_at: null,
    },
    location: `/v1/members/${example.owner}`,
  },
  listInvitations: {
    summary: "List open invitations, newest first",
    description: prose`
      Returns the invitations that nobody has accepted and that have not expired, newest first, without their links.`,
    answer: { invitations: [invitation], next_cursor: null },
  },
  getInvitation: {
    summary: "Get an open invitation",
    description: prose`
      Returns an invitation without its link. An invitation that was accepted or withdrawn, or that has expired, is 404.`,
    answer: invitation,
  },
  createInvitation: {
    summary: "Invite a person",
    description: prose`
      Creates an invitation. Only this response contains its \`link\`, which one person can use once: send it to them. If
      \`email\` is given and the installation can send mail, the person also gets it by mail.

      A caller can only give roles that it has itself (403 \`insufficient_scope\`). The session of a member must be confirmed
      (403 \`reauthentication_required\`). An invitation never makes an owner. An account can have ${schemas.MAX_MEMBERS} members and
      open invitations (409 \`too_many\`).`,
    body: { email: "grace@example.com", grants: [...grants] },
    answer: {
      ...invitation,
      link: `https://gantry.example.com/app/join#code=${secrets.invitation}`,
      is_mailed: false,
    },
    location: `/v1/invitations/${example.invitation}`,
  },
  deleteInvitation: {
    summary: "Withdraw an invitation",
    description: prose`Deletes an invitation. Its link no longer works.`,
  },
  lookUpInvitation: {
    summary: "Read an invitation by its code",
    description: prose`
      Says what the code of an invitation is for, and gives the challenge for the person's first passkey. The page of the link calls
      it. An unknown, used, withdrawn or expired code gets the same 401. An address that sends too many such codes gets 429.`,
    body: { code: secrets.invitation },
    answer: {
      account: "Acme",
      invited_by: "Ada Lovelace",
      email: "grace@example.com",
      grants,
      expires_at: invitation.expires_at,
      connections: [{ id: example.connection, kind: "oidc", name: "Okta" }],
      challenge: exampleChallenge,
    },
  },
  acceptInvitation: {
    summary: "Accept an invitation",
    description: prose`
      Makes the person who has the code a member, with the passkey that answers the challenge of \`POST /v1/invitations/look-up\`, and
      signs them in. Of two people who accept one invitation, one gets 401.`,
    body: { ...joining, code: secrets.invitation },
    answer: {
      id: example.token,
      token: secrets.session,
      expires_at: "2026-11-20T21:14:02.310Z",
      member: { id: example.member, name: "Grace Hopper" },
      sign_out_url: null,
    },
    location: null,
  },
} as const satisfies Partial<OperationTexts>;

const grant = {
  role: "What the person may do.",
  project_ids: "The projects in which they may do it. `null`: all of the account.",
  extra_scopes: "Scopes that the role does not include.",
};

const person = {
  name: "The person's name.",
  email:
    "The person's e-mail address. `null`: not known. Nobody signs in by it, except for the first time by a connection that trusts its domain.",
};

const memberFields = {
  id: "The member's id.",
  ...person,
  is_owner: "Whether the person is an owner, who may do everything.",
  grants: "What the person may do. The grants add up.",
  passkeys: "How many passkeys the person has.",
  created_at: "When the person joined.",
  last_used_at: "The first use of the person's sessions and personal tokens in the hour of the last use.",
};

const invitationFields = {
  id: "The invitation's id.",
  email: "The address of the person. `null`: not given.",
  grants: "What the person may do after joining.",
  invited_by: "The member who invited the person. `null`: a service token.",
  ...nested("invited_by", { id: "The member's id.", name: "The member's name at that time." }),
  created_at: "When the person was invited.",
  expires_at: "Until when the link works.",
};

const joiningFields = {
  name: "The person's name.",
  passkey: "The new passkey, as the browser's `PublicKeyCredential.toJSON()` gives it.",
  passkey_name: "A name for the passkey, such as the device's.",
};

const code = "The part of the link after `#code=`.";

export const memberSchemas = {
  Role: choice(Role, "What a member may do.", {
    viewer:
      "views projects with their plain variables, deployments, logs, servers, events, webhooks, hooks and freezes",
    deployer: "does what a viewer does, and deploys, rolls back, scales and cancels",
    admin:
      "does everything; of the whole account also invites, changes and removes members who are not owners",
  }),
  ExtraScope: choice(ExtraScope, "A scope that a grant can add to a role.", {
    "deployments:approve": "approve deployments that wait for it",
    "commands:run": "run commands in the live release",
  }),
  MemberReference: object(MemberReference, "A member as other records name them.", {
    id: "The member's id.",
    name: "The member's name at that time.",
  }),
  Grant: object(schemas.Grant, "A role in some projects, or in the whole account.", grant),
  GrantInput: object(schemas.GrantInput, "A role in some projects, or in the whole account.", grant),
  Member: object(schemas.Member, "A person in an account.", memberFields),
  MemberDetails: object(schemas.MemberDetails, "A person, and what they have created.", {
    ...memberFields,
    created: "What continues to work when the person is removed.",
    ...nested("created", {
      tokens: "Service tokens that the person has created.",
      trust_rules: "Trust rules that the person has created.",
    }),
  }),
  CreatedToken: object(schemas.CreatedToken, "A service token that a member has created.", {
    id: tokenFields.id,
    name: "The token's name.",
  }),
  CreatedTrustRule: object(schemas.CreatedTrustRule, "A trust rule that a member has created.", {
    id: "The trust rule's id.",
    name: "The trust rule's name.",
  }),
  MemberRows: object(schemas.MemberRows, "A page of members.", {
    members: "The members of this page, newest first.",
    next_cursor: nextCursor,
  }),
  UpdateMemberInput: object(
    schemas.UpdateMemberInput,
    "The fields to change. Omitted fields keep their values.",
    {
      ...person,
      is_owner: memberFields.is_owner,
      grants: memberFields.grants,
    },
  ),
  CreateOwnerInput: object(schemas.CreateOwnerInput, "The first owner.", {
    ...joiningFields,
    email: person.email,
  }),
  CreateInvitationInput: object(schemas.CreateInvitationInput, "Whom to invite, and for what.", {
    email: invitationFields.email,
    grants: invitationFields.grants,
    expires_in_days: "How many days the link works.",
  }),
  Invitation: object(schemas.Invitation, "An open invitation, without its link.", invitationFields),
  InvitationWithLink: object(schemas.InvitationWithLink, "An invitation with its link.", {
    ...invitationFields,
    link: "The link with which the person joins. It is shown only in this response.",
    is_mailed: "Whether the installation sends the link to `email`.",
  }),
  InvitationRows: object(schemas.InvitationRows, "A page of invitations.", {
    invitations: "The invitations of this page, newest first.",
    next_cursor: nextCursor,
  }),
  LookUpInvitationInput: object(schemas.LookUpInvitationInput, "The code of an invitation.", { code }),
  FoundInvitation: object(schemas.FoundInvitation, "What an invitation is for.", {
    account: "The account's name.",
    invited_by: "The name of the member who invited the person. `null`: a service token.",
    email: invitationFields.email,
    grants: invitationFields.grants,
    expires_at: invitationFields.expires_at,
    connections: "The connections by which the person can join instead of with a passkey.",
    challenge: "The challenge for the person's first passkey.",
  }),
  AcceptInvitationInput: object(schemas.AcceptInvitationInput, "The person who joins.", {
    ...joiningFields,
    code,
  }),
} satisfies Record<string, SchemaText>;
