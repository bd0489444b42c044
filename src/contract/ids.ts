import type * as z from "zod/mini";

import { textLike } from "#contract/bounds.ts";

/** Crockford's base32 in lower case. Its letters are in ASCII order, so encoded numbers sort like the numbers. */
export const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** 26 characters of 5 bits hold the 128 bits of a UUID. The first character holds only 3 bits. */
const ENCODED_UUID = "[0-7][0-9a-hjkmnp-tv-z]{25}";

const idSchema = (prefix: string) =>
  textLike(new RegExp(`^${prefix}_${ENCODED_UUID}$`), `must be an id of the form ${prefix}_…`);

export const AccountId = idSchema("acct").brand<"AccountId">();
export type AccountId = z.infer<typeof AccountId>;
export const TokenId = idSchema("tok").brand<"TokenId">();
export type TokenId = z.infer<typeof TokenId>;
export const ServerId = idSchema("srv").brand<"ServerId">();
export type ServerId = z.infer<typeof ServerId>;
export const ProjectId = idSchema("proj").brand<"ProjectId">();
export type ProjectId = z.infer<typeof ProjectId>;
export const DeploymentId = idSchema("dpl").brand<"DeploymentId">();
export type DeploymentId = z.infer<typeof DeploymentId>;
/** The id of a run: one attempt of an agent to carry out a deployment. */
export const RunId = idSchema("run").brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

/** The id of a one-off command. */
export const CommandId = idSchema("cmd").brand<"CommandId">();
export type CommandId = z.infer<typeof CommandId>;

/** The id of an event. It is also the `webhook-id` of each of its deliveries. */
export const EventId = idSchema("evt").brand<"EventId">();
export type EventId = z.infer<typeof EventId>;
/** The id of a webhook: a target to which events are sent. */
export const WebhookId = idSchema("whk").brand<"WebhookId">();
export type WebhookId = z.infer<typeof WebhookId>;
/** The id of a hook: an address to which a forge sends the pushes of one repository. */
export const HookId = idSchema("hook").brand<"HookId">();
export type HookId = z.infer<typeof HookId>;
/** The id of a push in the ledger: one delivery and the decision for one project. */
export const PushId = idSchema("push").brand<"PushId">();
export type PushId = z.infer<typeof PushId>;
/** The id of a freeze: a time in which deployments wait. */
export const FreezeId = idSchema("frz").brand<"FreezeId">();
export type FreezeId = z.infer<typeof FreezeId>;
/** The id of a trust rule: which jobs get tokens without a stored secret. */
export const TrustRuleId = idSchema("trust").brand<"TrustRuleId">();
export type TrustRuleId = z.infer<typeof TrustRuleId>;
/** The id of a member: a person in an account. */
export const MemberId = idSchema("mem").brand<"MemberId">();
export type MemberId = z.infer<typeof MemberId>;
export const InvitationId = idSchema("inv").brand<"InvitationId">();
export type InvitationId = z.infer<typeof InvitationId>;
export const PasskeyId = idSchema("pk").brand<"PasskeyId">();
export type PasskeyId = z.infer<typeof PasskeyId>;
/** The id of a connection: a provider by which people sign in. */
export const ConnectionId = idSchema("conn").brand<"ConnectionId">();
export type ConnectionId = z.infer<typeof ConnectionId>;
/** The id of an identity: what a provider calls a member. */
export const IdentityId = idSchema("idn").brand<"IdentityId">();
export type IdentityId = z.infer<typeof IdentityId>;
/** The id of an entry of the audit log. */
export const AuditEntryId = idSchema("aud").brand<"AuditEntryId">();
export type AuditEntryId = z.infer<typeof AuditEntryId>;

/** The source of time (Unix milliseconds) and randomness for ids. */
export type IdSource = { now(): number; randomBytes(count: number): Uint8Array };

export type IdGenerator = {
  account(): AccountId;
  token(): TokenId;
  server(): ServerId;
  project(): ProjectId;
  deployment(): DeploymentId;
  run(): RunId;
  command(): CommandId;
  event(): EventId;
  webhook(): WebhookId;
  hook(): HookId;
  push(): PushId;
  freeze(): FreezeId;
  trustRule(): TrustRuleId;
  member(): MemberId;
  invitation(): InvitationId;
  passkey(): PasskeyId;
  connection(): ConnectionId;
  identity(): IdentityId;
  auditEntry(): AuditEntryId;
};

/**
 * Creates a generator whose ids always increase, also within one millisecond.
 * Source: RFC 9562 section 5.7 (UUIDv7), with section 6.2 method 1: the 12 bits after the version are a counter.
 */
export function createIdGenerator(source: IdSource): IdGenerator {
  let lastMs = 0;
  let counter = 0;

  function uuid7(): bigint {
    const now = source.now();
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      lastMs += 1;
      counter = 0;
    }
    const random = source.randomBytes(8).reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
    const randomWithVariant = (random & 0x3fff_ffff_ffff_ffffn) | 0x8000_0000_0000_0000n;
    return (BigInt(lastMs) << 80n) | (0x7n << 76n) | (BigInt(counter) << 64n) | randomWithVariant;
  }

  return {
    account: () => AccountId.parse(`acct_${encode(uuid7())}`),
    token: () => TokenId.parse(`tok_${encode(uuid7())}`),
    server: () => ServerId.parse(`srv_${encode(uuid7())}`),
    project: () => ProjectId.parse(`proj_${encode(uuid7())}`),
    deployment: () => DeploymentId.parse(`dpl_${encode(uuid7())}`),
    run: () => RunId.parse(`run_${encode(uuid7())}`),
    command: () => CommandId.parse(`cmd_${encode(uuid7())}`),
    event: () => EventId.parse(`evt_${encode(uuid7())}`),
    webhook: () => WebhookId.parse(`whk_${encode(uuid7())}`),
    hook: () => HookId.parse(`hook_${encode(uuid7())}`),
    push: () => PushId.parse(`push_${encode(uuid7())}`),
    freeze: () => FreezeId.parse(`frz_${encode(uuid7())}`),
    trustRule: () => TrustRuleId.parse(`trust_${encode(uuid7())}`),
    member: () => MemberId.parse(`mem_${encode(uuid7())}`),
    invitation: () => InvitationId.parse(`inv_${encode(uuid7())}`),
    passkey: () => PasskeyId.parse(`pk_${encode(uuid7())}`),
    connection: () => ConnectionId.parse(`conn_${encode(uuid7())}`),
    identity: () => IdentityId.parse(`idn_${encode(uuid7())}`),
    auditEntry: () => AuditEntryId.parse(`aud_${encode(uuid7())}`),
  };
}

function encode(uuid: bigint): string {
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += ID_ALPHABET[Number((uuid >> shift) & 31n)];
  return text;
}
