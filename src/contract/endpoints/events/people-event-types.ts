// The types of events about people and how they sign in.

export const memberEventTypes = [
  "member.joined",
  "member.updated",
  "member.recovered",
  "member.removed",
] as const;
export const invitationEventTypes = ["invitation.created", "invitation.deleted"] as const;
export const passkeyEventTypes = ["passkey.added", "passkey.removed"] as const;
export const connectionEventTypes = [
  "connection.created",
  "connection.updated",
  "connection.deleted",
] as const;
export const identityEventTypes = ["identity.added", "identity.removed"] as const;
