import * as z from "zod/mini";

import { WebAddress } from "#contract/addresses/web-address.ts";
import { textBetween, textLike } from "#contract/bounds.ts";

// The settings of a webhook's target, for each kind of webhook. Addresses and tokens are secrets: the control plane stores
// them in the webhook's own object, and masks them in its answers.

const MAX_HEADERS = 10;

/** Headers that each delivery sets itself, and headers of the connection. */
const RESERVED_HEADER =
  /^(?:webhook-.*|content-.*|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|cf-.*)$/i;

const HeaderName = textLike(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "must be the name of a header").check(
  z.refine(
    (name) => !RESERVED_HEADER.test(name),
    "must not be a header of the delivery or of its connection",
  ),
);
const HeaderValue = textLike(
  /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/,
  "must be 1 to 1000 visible ASCII characters",
);

/** Headers that are added to each request to the target, such as Authorization. */
export const TargetHeaders = z
  .record(HeaderName, HeaderValue)
  .check(
    z.refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must not be more than ${MAX_HEADERS}`),
  );

/** An access token of the target's service. */
export const TargetToken = textLike(
  /^[\x21-\x7e]{1,1000}$/,
  "must be 1 to 1000 visible ASCII characters without spaces",
);

/** Source: ntfy's documentation, "Picking a topic". */
export const NtfyTopic = textLike(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, - and _");

export const EmailAddress = textLike(
  /^[^\s@<>,;"()\\]{1,64}@[A-Za-z0-9.-]{1,253}$/,
  "must be an e-mail address",
);

/** A forge that shows statuses. `gitea` includes Forgejo and Codeberg. */
export const StatusForge = z.enum(["github", "gitlab", "gitea", "bitbucket"]);
export type StatusForge = z.infer<typeof StatusForge>;

/** `only_recoveries`: a live deployment is reported only after a failed one. */
const forPeople = { only_recoveries: z._default(z.boolean(), true) };

export const StandardSettings = z.strictObject({
  kind: z.literal("standard"),
  url: WebAddress,
  headers: z._default(TargetHeaders, {}),
});
export type StandardSettings = z.infer<typeof StandardSettings>;

export const SlackSettings = z.strictObject({ kind: z.literal("slack"), url: WebAddress, ...forPeople });
export type SlackSettings = z.infer<typeof SlackSettings>;

export const DiscordSettings = z.strictObject({ kind: z.literal("discord"), url: WebAddress, ...forPeople });
export type DiscordSettings = z.infer<typeof DiscordSettings>;

export const TeamsSettings = z.strictObject({ kind: z.literal("teams"), url: WebAddress, ...forPeople });
export type TeamsSettings = z.infer<typeof TeamsSettings>;

/** `url`: the address of the ntfy server. `token`: an access token; null: the server needs none. */
export const NtfySettings = z.strictObject({
  kind: z.literal("ntfy"),
  url: WebAddress,
  topic: NtfyTopic,
  token: z._default(z.nullable(TargetToken), null),
  ...forPeople,
});
export type NtfySettings = z.infer<typeof NtfySettings>;

export const EmailSettings = z.strictObject({ kind: z.literal("email"), to: EmailAddress, ...forPeople });
export type EmailSettings = z.infer<typeof EmailSettings>;

/**
 * `api_url`: the address of the forge or of its API; null: the API of github.com, gitlab.com, codeberg.org or
 * bitbucket.org. Repositories elsewhere get no status. `statuses`: set the state of commits. `deployments`: create
 * deployments, which only GitHub has. `environment`: their environment; null: the project's name.
 */
export const CommitStatusSettings = z.strictObject({
  kind: z.literal("commit_status"),
  forge: StatusForge,
  api_url: z._default(z.nullable(WebAddress), null),
  token: TargetToken,
  statuses: z._default(z.boolean(), true),
  deployments: z._default(z.boolean(), false),
  environment: z._default(z.nullable(textBetween(1, 100)), null),
});
export type CommitStatusSettings = z.infer<typeof CommitStatusSettings>;

/** The settings of a webhook, by its kind. */
export const WebhookSettings = z.discriminatedUnion("kind", [
  StandardSettings,
  SlackSettings,
  DiscordSettings,
  TeamsSettings,
  NtfySettings,
  EmailSettings,
  CommitStatusSettings,
]);
export type WebhookSettings = z.infer<typeof WebhookSettings>;
