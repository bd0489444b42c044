import * as z from "zod/mini";

import { MemberTable } from "#cli/configuration/kinds/members.ts";
import { documentName, partOf } from "#cli/configuration/schema-parts.ts";
import { UpdateAccountInput } from "#contract/endpoints/accounts/schemas.ts";
import { CreateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import { CreateHookInput } from "#contract/endpoints/hooks/schemas.ts";
import { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { settingTexts } from "#contract/endpoints/projects/setting-texts.ts";
import { CreateTrustRuleInput } from "#contract/endpoints/trust-rules/schemas.ts";
import { CreateWebhookInput } from "#contract/endpoints/webhooks/schemas.ts";

type Schema = { readonly [name: string]: unknown };

const source = {
  type: "object",
  properties: {
    from: {
      type: "string",
      pattern: "^env:[A-Za-z_][A-Za-z0-9_]*$",
      description: "The environment variable with the value, such as env:SHOP_TOKEN.",
    },
  },
  required: ["from"],
  additionalProperties: false,
};

const text = { type: "string" };
const flag = { type: "boolean", default: false };

const variable = {
  anyOf: [
    { ...text, description: "The value of a plain variable." },
    {
      ...source,
      properties: {
        ...source.properties,
        secret: { ...flag, description: "Whether it is a secret, which only the servers can read." },
        build: { ...flag, description: "Whether builds get the secret too." },
      },
    },
  ],
};

/** The JSON Schema of a configuration file, from the schemas of the requests. */
export function editorSchema(): Schema {
  const byName = (table: Schema, description: string) => ({
    type: "object",
    description,
    additionalProperties: table,
  });
  const named = (schema: Schema): Schema =>
    withProperties(schema, {
      name: { ...text, description: "The name, if it is not the name of the table." },
    });
  const project = withProperties(tableOf(CreateProjectInput, ["name"], settingTexts), {
    was: { ...text, description: "The earlier name of the project, to rename it." },
    variables: byName(variable, "The variables of the project."),
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The configuration of a Gantry installation",
    type: "object",
    properties: {
      $schema: text,
      servers: {
        type: "array",
        items: text,
        description: "The names of servers that the installation must have.",
      },
      account: tableOf(UpdateAccountInput, []),
      projects: byName(project, "The projects, by name."),
      hooks: byName(
        tableOf(CreateHookInput, ["repository"], {}, true),
        "The hooks, by the address of the repository.",
      ),
      webhooks: byName(webhookTable(named), "The webhooks, by name."),
      freezes: byName(named(tableOf(CreateFreezeInput, ["name"])), "The freezes, by name."),
      trust_rules: byName(named(tableOf(CreateTrustRuleInput, ["name"])), "The trust rules, by name."),
      members: byName(tableOf(MemberTable, []), "The grants of members, by address, or by name without one."),
    },
    additionalProperties: false,
  };
}

function webhookTable(named: (schema: Schema) => Schema): Schema {
  const part = partOf(CreateWebhookInput);
  const options = part.type === "choice" ? part.options : [];
  const enabled = { type: "boolean", default: true };
  return {
    anyOf: options.map((option) => withProperties(named(tableOf(option, ["name"], {}, true)), { enabled })),
  };
}

function withProperties(schema: Schema, more: Schema): Schema {
  const { properties } = schema;
  return { ...schema, properties: { ...(typeof properties === "object" ? properties : {}), ...more } };
}

/** The schema of a table. @param texts descriptions of its fields */
function tableOf(
  schema: z.ZodMiniType,
  left: readonly string[],
  texts: Readonly<Record<string, unknown>> = {},
  hasSources = false,
): Schema {
  const part = partOf(schema);
  if (part.type !== "object") return {};
  const properties = [...part.shape].flatMap(([name, field]): [string, unknown][] => {
    if (left.includes(name)) return [];
    const description: unknown = Object.hasOwn(texts, name) ? texts[name] : undefined;
    const inner = valueSchema(field, hasSources);
    return [[documentName(name, field), typeof description === "string" ? { description, ...inner } : inner]];
  });
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

function valueSchema(schema: z.ZodMiniType, hasSources: boolean): Schema {
  const part = partOf(schema);
  const inner = innerSchema(schema, hasSources);
  if (!part.isNullable) return inner;
  return { anyOf: [inner, { const: "", description: "None." }, { type: "null" }] };
}

function innerSchema(schema: z.ZodMiniType, hasSources: boolean): Schema {
  const part = partOf(schema);
  switch (part.type) {
    case "reference":
      return { ...text, description: `The name of a ${part.to}.` };
    case "record":
      return { type: "object", additionalProperties: valueSchema(part.value, hasSources) };
    case "choice":
      return { anyOf: part.options.map((option) => valueSchema(option, hasSources)) };
    case "list": {
      const { key, item } = part;
      if (key !== null) return { type: "object", additionalProperties: tableOf(item, [key]) };
      return { type: "array", items: valueSchema(item, hasSources) };
    }
    case "object": {
      const table = tableOf(schema, [], {}, hasSources);
      return part.shape.has("id") ? { anyOf: [text, table] } : table;
    }
    case "leaf": {
      const { $schema: _, ...leaf } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
      return hasSources && leaf.type === "string" && leaf.const === undefined
        ? { anyOf: [leaf, source] }
        : leaf;
    }
  }
}
