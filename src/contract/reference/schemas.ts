import { agentSchemas } from "#contract/endpoints/agents/schema-texts.ts";
import { deploymentSchemas } from "#contract/endpoints/deployments/schema-texts.ts";
import { logSchemas } from "#contract/endpoints/logs/schema-texts.ts";
import { problemSchemas } from "#contract/reference/schemas/problems.ts";
import { projectSchemas } from "#contract/endpoints/projects/schema-texts.ts";
import type { SchemaText } from "#contract/reference/schemas/schema-text.ts";
import { serverSchemas } from "#contract/endpoints/servers/schema-texts.ts";
import { tokenSchemas } from "#contract/endpoints/tokens/schema-texts.ts";

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
