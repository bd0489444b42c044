import * as schemas from "#contract/endpoints/traffic/schemas.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const example = { message: "Back at 14:00 UTC.", started_at: "2026-11-20T12:00:03.512Z" } as const;

export const trafficTexts = {
  setMaintenance: {
    description: prose`
      Shows visitors a page with the status 503 instead of the site, with the \`message\`, or shows the site again. It
      lasts until it is turned off, also across deployments and restarts of the server. Health checks of deployments
      reach the site during maintenance, except those of a \`url\` that leads to the domain.

      The setting is stored, and the project's server applies it before the response. If the server cannot be reached,
      \`applied\` is \`false\`, and \`detail\` says why: the server applies it when it connects again. A request that is
      sent twice changes nothing. It needs an ingress of Gantry's on the server; other web servers show the site on.`,
    body: { on: true, message: example.message },
    answer: { maintenance: example, applied: true, detail: null },
  },
} as const satisfies Partial<OperationTexts>;

const message = "What visitors read, as plain text. `null`: a general message.";
const fields = { message, started_at: "When it was last turned on, or got another message." };

export const trafficSchemas = {
  SetMaintenanceInput: object(schemas.SetMaintenanceInput, "Whether maintenance is on.", {
    on: "Whether visitors get the page of the maintenance instead of the site.",
    message: "What visitors read, as plain text. `null` or omitted: a general message.",
  }),
  Maintenance: object(schemas.Maintenance, "Maintenance that is on.", fields),
  MaintenanceSet: object(schemas.MaintenanceSet, "The maintenance of a project after a change.", {
    maintenance: "The maintenance. `null`: it is off.",
    ...nested("maintenance", fields),
    applied: "Whether the project's server has applied it.",
    detail: "Why the server has not applied it. `null`: it has.",
  }),
} satisfies Record<string, SchemaText>;
