import { rowFields } from "#contract/endpoints/deployments/field-texts.ts";
import * as schemas from "#contract/endpoints/deployments/schemas.ts";
import { object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

/** The texts of the schemas about what a project can be rolled back to. */
export const rollbackSchemas = {
  RollbackTarget: object(schemas.RollbackTarget, "A deployment that a project can be rolled back to.", {
    deployment_id: "The deployment's id.",
    version: "The deployment's version.",
    branch: rowFields.branch,
    commit: "The abbreviated commit hash.",
    commit_message: "The first line of the commit message.",
    live_at: "When the deployment went live.",
    instant: "Whether the files are still on all servers, so that the rollback needs no build.",
    servers: "Which servers still have the files. Empty if the project has one server.",
    default: "Whether a rollback that names no target uses this deployment.",
    runs_with: "What a rollback to it runs with if its request says nothing about it.",
    differs:
      "The project's current settings that differ from the live settings, with names as in `waiting_on`. Empty: a rollback changes only the code.",
    held_by:
      "What would hold a rollback that asks for the current settings and variables: a freeze or a missing approval. `null`: nothing.",
  }),
  RollbackServer: object(schemas.RollbackServer, "A server of a rollback target.", {
    id: "The server's id.",
    release_kept: "Whether it has the files. If not, it builds them again.",
  }),
  RollbackTargets: object(schemas.RollbackTargets, "The rollback targets of a project.", {
    rollback_targets: "The targets, newest first.",
  }),
} satisfies Record<string, SchemaText>;
