import type * as z from "zod/mini";

import { EventPattern, nearestPattern } from "#contract/endpoints/events/patterns.ts";
import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import { StatusForge, type WebhookSettings } from "#contract/endpoints/webhooks/settings.ts";
import { succeed } from "#contract/lib/result.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import type { CommandContext } from "#cli/context.ts";
import { done, type Result, stop } from "#cli/outcome.ts";
import { findProjects } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { printWebhookSecret } from "#cli/views/webhook-text.ts";
import {
  readSecrets,
  secretOptions,
  type SecretOptions,
  type WebhookSecrets,
} from "#cli/webhooks/read-secrets.ts";

const NTFY = "https://ntfy.sh";

const kindOptions = {
  to: { kind: "text", value: "ADDRESS", help: "Recipient of the mails, for the kind email" },
  host: {
    kind: "text",
    value: "KIND",
    choices: StatusForge.options,
    help: "Kind of git host, for the kind commit_status",
  },
  "api-url": {
    kind: "text",
    value: "URL",
    help: "Address of your own git host (default: the public one, such as github.com)",
  },
  "github-deployments": { kind: "flag", help: "Also create deployments on GitHub" },
  "every-success": {
    kind: "flag",
    help: "Also send a message when a deployment goes live after a successful one",
  },
  ...secretOptions,
} as const;

type KindOptions = SecretOptions &
  Readonly<
    Record<"to" | "host" | "api-url", string | null> & Record<"github-deployments" | "every-success", boolean>
  >;

export const webhooksCreate = defineCommand({
  name: "webhooks create",
  summary: "Send events to a program, a chat, by mail or to a git host",
  details: [
    "The kind standard prints the secret that signs its deliveries. The secret is shown only once, and nothing else goes to stdout.",
    "Secrets are never command-line arguments, because other users of the machine could see them. The command prompts for them, or reads them from a file or standard input: the URL of slack, discord and teams, the topic and token of ntfy, the token of commit_status, the headers of standard.",
  ],
  words: {
    kind: {
      isRequired: true,
      choices: WebhookKind.options,
      help: `One of ${WebhookKind.options.join(", ")}`,
    },
    url: { isRequired: false, help: `Target of standard, or server of ntfy (default: ${NTFY})` },
  },
  options: {
    name: { kind: "text", value: "NAME", help: "Webhook name (default: the host and path of the target)" },
    event: {
      kind: "list",
      value: "TYPE",
      help: "Type of event to send, such as deployment.failed or server.*",
    },
    only: { kind: "list", value: "PROJECT", help: "Limit the webhook to a project, by name or ID" },
    ...kindOptions,
  },
  examples: [
    "webhooks create standard https://hooks.example.com/gantry --event 'deployment.*'",
    "webhooks create standard https://hooks.example.com/gantry --header Authorization",
    "webhooks create slack --only shop < url.txt",
    "webhooks create ntfy https://ntfy.example.com --from-file topic=topic.txt --from-file token=token.txt",
    "webhooks create commit_status --host github < token.txt",
  ],
  run: withSession(async (session, { words, options }) => {
    const kind = WebhookKind.safeParse(words.kind);
    if (!kind.success) return stop("usage", `The kind must be one of ${WebhookKind.options.join(", ")}.`);
    const events = options.event.map((pattern) => EventPattern.safeParse(pattern));
    const unknown = options.event.find((_, at) => events[at]?.success === false);
    if (unknown !== undefined)
      return stop("usage", `There is no type of event ${unknown}.${nearestPattern(unknown)}`);
    const projects = await findProjects(session, options.only);
    if (!projects.ok) return projects;
    const settings = await readSettings(session, kind.data, words.url, options);
    if (!settings.ok) return settings;
    const webhook = await session.client.createWebhook({
      body: {
        ...settings.value,
        ...givenFields({
          name: options.name,
          events:
            events.length === 0 ? null : events.flatMap(({ data }) => (data === undefined ? [] : [data])),
          project_ids: projects.value.length === 0 ? null : projects.value,
        }),
      },
    });
    if (!webhook.ok) return webhook;
    printWebhookSecret(session.output, webhook.value);
    return done;
  }),
});

type Settings = z.input<typeof WebhookSettings>;

/** The settings of the kind. Prompts for secrets, or reads them from a file or standard input. */
async function readSettings(
  context: CommandContext,
  kind: WebhookKind,
  url: string | null,
  options: KindOptions,
): Promise<Result<Settings>> {
  const read = async (make: (secrets: WebhookSecrets) => Settings): Promise<Result<Settings>> => {
    const secrets = await readSecrets(context, kind, options);
    return secrets.ok ? succeed(make(secrets.value)) : secrets;
  };
  const forPeople = { only_recoveries: !options["every-success"] };
  switch (kind) {
    case "standard":
      if (url === null) return stop("usage", "Pass the URL of the target.");
      return await read(({ others }) => ({ kind, url, headers: others }));
    case "slack":
    case "discord":
    case "teams":
      if (url !== null)
        return stop("usage", `The URL of a ${kind} webhook is a secret. The command prompts for it.`);
      return await read(({ main }) => ({ kind, url: main, ...forPeople }));
    case "ntfy":
      return await read(({ main, others: { token = null } }) => {
        return { kind, url: url ?? NTFY, topic: main, token, ...forPeople };
      });
    case "email": {
      const { to } = options;
      return to === null
        ? stop("usage", "Pass --to ADDRESS.")
        : await read(() => ({ kind, to, ...forPeople }));
    }
    case "commit_status": {
      const forge = StatusForge.safeParse(options.host);
      if (!forge.success) return stop("usage", `Pass --host: ${StatusForge.options.join(", ")}.`);
      const deployments = options["github-deployments"];
      const apiUrl = givenFields({ api_url: options["api-url"] });
      return await read(({ main }) => ({ kind, forge: forge.data, token: main, deployments, ...apiUrl }));
    }
  }
}
