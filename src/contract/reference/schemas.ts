import { agentSchemas } from "#contract/reference/schemas/agent.ts";
import { deploymentSchemas } from "#contract/reference/schemas/deployments.ts";
import { logSchemas } from "#contract/reference/schemas/logs.ts";
import { problemSchemas } from "#contract/reference/schemas/problems.ts";
import { projectSchemas } from "#contract/reference/schemas/projects.ts";
import type { SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { serverSchemas } from "#contract/reference/schemas/servers.ts";
import { tokenSchemas } from "#contract/reference/schemas/tokens.ts";

/** Every schema that the reference shows under a name of its own. */
export const schemaTexts: Readonly<Record<string, SchemaText>> = {
  ...deploymentSchemas,
  ...logSchemas,
  ...projectSchemas,
  ...serverSchemas,
  ...tokenSchemas,
  ...problemSchemas,
  ...agentSchemas,
};
