import { type Item, mapSecrets, SECRET } from "#cli/configuration/item.ts";
import { type Fields, isFields, type Json } from "#cli/configuration/json.ts";
import {
  checked,
  documentFields,
  itemOrNull,
  itemOf,
  type Kind,
  nameIn,
  readTable,
  requestOf,
  sorted,
  without,
} from "#cli/configuration/kind.ts";
import { mapLimited } from "#cli/configuration/map-limited.ts";
import type { Names } from "#cli/configuration/names.ts";
import { secretValues } from "#cli/configuration/secret-values.ts";
import { addressOf } from "#contract/addresses/web-address.ts";
import { readAll } from "#client/read-all.ts";
import { defaultEvents } from "#contract/endpoints/webhooks/default-events.ts";
import { WebhookKind } from "#contract/endpoints/webhooks/kinds.ts";
import {
  CreateWebhookInput,
  UpdateWebhookInput,
  type WebhookDetails,
} from "#contract/endpoints/webhooks/schemas.ts";
import { WebhookId } from "#contract/ids.ts";
import { succeed } from "#contract/lib/result.ts";

const ADDRESS = "https://placeholder.example.com/x";

/** What stands for the secrets of each kind, as their schemas accept it. */
const secretFields: { readonly [Of in WebhookKind]: Readonly<Record<string, string>> } = {
  standard: {},
  slack: { url: ADDRESS },
  discord: { url: ADDRESS },
  teams: { url: ADDRESS },
  ntfy: { topic: "x", token: "x" },
  email: {},
  commit_status: { token: "x" },
};

/** Webhooks with their targets. Addresses, tokens and headers that are secret are only read from the environment. */
export const webhookKind: Kind = {
  name: "webhooks",
  schema: CreateWebhookInput,
  parse(key, { name: given, enabled = true, ...table }, reading) {
    const kind = WebhookKind.safeParse(table["kind"]);
    const name = nameIn(key, given, reading.issues);
    const read = readTable(table, reading, {
      schema: CreateWebhookInput,
      fixed: { name },
      secretAt: (path) => (kind.success ? secretIn(table, kind.data, path) : null),
    });
    if (typeof enabled !== "boolean")
      reading.issues.push({ path: ["enabled"], message: "must be a boolean" });
    if (read === null) return null;
    const webhook = CreateWebhookInput.parse(read.request);
    const events = [...new Set(webhook.events ?? defaultEvents[webhook.kind])];
    const fields = { ...webhook, events, project_ids: webhook.project_ids };
    return {
      ...describe(webhook, name),
      fields: finished(
        hidden(documentFields(CreateWebhookInput, fields, reading.names), webhook.kind, read.sources),
        enabled,
      ),
      sources: read.sources,
      masked: [],
    };
  },
  async read({ client }, names) {
    const rows = await readAll(client.listWebhooks, (page) => page.webhooks);
    if (!rows.ok) return rows;
    // A newer control plane can have kinds that this command does not know. It leaves them alone.
    const known = rows.value.filter(({ kind }) => WebhookKind.safeParse(kind).success);
    const webhooks = await mapLimited(known, ({ id }) => client.getWebhook({ params: { webhook_id: id } }));
    const items: Item[] = [];
    for (const webhook of webhooks) {
      if (webhook.ok) items.push(toItem(webhook.value, names));
      else if (webhook.problem.code !== "not_found") return webhook;
    }
    return succeed(items);
  },
  readAgain: async ({ client }, names, { id }) =>
    await itemOrNull(client.getWebhook({ params: { webhook_id: WebhookId.parse(id) } }), (webhook) =>
      toItem(webhook, names),
    ),
  async create({ session, names }, step) {
    const fields = secretValues(step, session.environment);
    if (!fields.ok) return fields;
    const { enabled, ...settings } = fields.value;
    const body = checked(CreateWebhookInput, {
      ...requestOf(CreateWebhookInput, settings, names),
      name: step.item.name,
    });
    if (!body.ok) return body;
    const created = await session.client.createWebhook({ body: body.value });
    if (!created.ok) return created;
    if (created.value.secret !== null)
      session.output.note(
        `The webhook ${step.item.name} has a new signing secret, which is not printed. gantry webhooks rotate prints another one.`,
      );
    if (enabled !== false) return created;
    return await session.client.updateWebhook({
      params: { webhook_id: created.value.id },
      body: { enabled: false },
    });
  },
  async update({ session, names }, step) {
    const fields = secretValues(step, session.environment);
    if (!fields.ok) return fields;
    const { enabled, ...settings } = fields.value;
    const { kind: _, ...request } = requestOf(
      CreateWebhookInput,
      { kind: step.after["kind"] ?? null, ...settings },
      names,
    );
    const body = checked(UpdateWebhookInput, { ...request, ...(enabled === undefined ? {} : { enabled }) });
    if (!body.ok) return body;
    const params = { webhook_id: WebhookId.parse(step.current?.id) };
    return await session.client.updateWebhook({ params, body: body.value });
  },
  remove: async ({ session }, { id }) =>
    await session.client.deleteWebhook({ params: { webhook_id: WebhookId.parse(id) } }),
};

/** As `secretAt`. The values in the query of an address are secrets, wherever it leads. */
function secretIn(table: Fields, kind: WebhookKind, path: readonly string[]): string | null {
  const [name = "", ...inner] = path;
  const value = table[name];
  const isAddress = inner.length === 0 && (name === "url" || name === "api_url");
  const isQuery = isAddress && (typeof value === "string" ? value.includes("=") : isFields(value));
  return isQuery ? ADDRESS : secretAt(kind, path);
}

/** What stands for the secret at this place; null: it is none. */
function secretAt(kind: WebhookKind, [name = "", ...inner]: readonly string[]): string | null {
  if (name === "headers" && inner.length === 1) return "x";
  const secrets = secretFields[kind];
  return inner.length === 0 && Object.hasOwn(secrets, name) ? (secrets[name] ?? null) : null;
}

/** The fields without the values of secrets. */
function hidden(fields: Fields, kind: WebhookKind, sources: Item["sources"]): Fields {
  const hide = (value: Json, path: readonly string[]): Json => {
    if (typeof value === "string") return secretAt(kind, path) === null ? value : SECRET;
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, hide(inner, [...path, key])]),
    );
  };
  const entries = Object.entries(fields).map(([name, value]): [string, Json] => [
    name,
    // The address of a program can have a secret in its query.
    sources.has(name) ? SECRET : hide(value, [name]),
  ]);
  return Object.fromEntries(entries);
}

/** With addresses in the form in which the control plane shows them. */
function finished(fields: Fields, enabled: Json): Fields {
  const { projects = null, ...others } = without(fields, "name");
  const addresses = Object.fromEntries(
    ["url", "api_url"].flatMap((name): [string, Json][] => {
      const value = others[name];
      return typeof value === "string" && value !== SECRET
        ? [[name, shownAddress(value, others["kind"])]]
        : [];
    }),
  );
  return { ...others, ...addresses, projects: projects === null ? null : sorted(projects), enabled };
}

function shownAddress(address: string, kind: Json | undefined): string {
  const { origin, path, query } = addressOf(address);
  return kind === "ntfy" ? `${origin}${path.replace(/\/$/, "")}` : `${origin}${path}${query}`;
}

type Described = { readonly kind: string } & object;

/** The kind and the git host cannot change. */
function describe(webhook: Described, name: string) {
  const forge = "forge" in webhook ? String(webhook.forge) : "";
  return { name, identity: [webhook.kind, forge, name].join(" ") };
}

function toItem(webhook: WebhookDetails, names: Names): Item {
  const { id, name, kind, events, project_ids, state, settings } = webhook;
  const row = { kind, events, project_ids, ...settings, ...targetOf(webhook) };
  // A setting that the kind does not have is null.
  const given = Object.fromEntries(
    Object.entries(row).filter(
      ([field, value]) => value !== null || field === "project_ids" || ofStatus(kind, field),
    ),
  );
  const fields = finished(documentFields(CreateWebhookInput, given, names), state !== "disabled");
  const described = describe({ kind, ...(settings.forge === null ? {} : { forge: settings.forge }) }, name);
  return itemOf("webhooks", {
    ...{ key: name, id, ...described },
    fields: mapSecrets(fields, [], () => SECRET),
  });
}

const ofStatus = (kind: string, field: string): boolean =>
  kind === "commit_status" && (field === "api_url" || field === "environment");

/** The target as the answer shows it, with a mark for its secret parts. */
function targetOf({ kind, url, settings }: WebhookDetails): object {
  const isMasked = url.includes("=***");
  switch (kind) {
    case "standard": {
      const headers = Object.fromEntries((settings.headers ?? []).map((name) => [name, SECRET]));
      return { url: isMasked ? SECRET : url, headers };
    }
    case "slack":
    case "discord":
    case "teams":
      return { url: SECRET };
    case "ntfy":
      return { url: url.replace(/\/…$/, ""), topic: SECRET };
    case "email":
      return { to: url };
    case "commit_status":
      return {
        token: SECRET,
        api_url: settings.api_url?.includes("=***") === true ? SECRET : settings.api_url,
      };
    default:
      return {};
  }
}
