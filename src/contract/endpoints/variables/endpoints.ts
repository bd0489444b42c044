import * as z from "zod/mini";

import type { Endpoint } from "#contract/endpoints/endpoint.ts";
import { get, patch, token } from "#contract/endpoints/endpoint-defaults.ts";
import * as schemas from "#contract/endpoints/variables/schemas.ts";
import { ProjectId } from "#contract/ids.ts";
import { PageQuery } from "#contract/paging.ts";

const ProjectParams = z.strictObject({ project_id: ProjectId });

/** Two hundred secrets with boxes for 50 servers, about 8 KB each, and values of 512 KiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export const variableEndpoints = {
  getVariables: {
    ...get("/v1/projects/:project_id/variables", token("projects:read")),
    params: ProjectParams,
    success: { status: 200, body: schemas.Variables },
  },
  updateVariables: {
    ...patch("/v1/projects/:project_id/variables", token("projects:write")),
    params: ProjectParams,
    body: schemas.UpdateVariablesInput,
    maxBodyBytes: MAX_BODY_BYTES,
    success: { status: 200, body: schemas.Variables },
    problems: ["revision_conflict", "no_seal_key", "secrets_not_sealed", "too_many"],
  },
  listVariableRevisions: {
    ...get("/v1/projects/:project_id/variables/revisions", token("projects:read")),
    params: ProjectParams,
    query: PageQuery,
    success: { status: 200, body: schemas.VariableRevisions },
  },
} as const satisfies Record<string, Endpoint>;
