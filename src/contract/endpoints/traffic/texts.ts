import { PauseProjectInput, ProjectPause } from "#contract/endpoints/traffic/pause.ts";
import * as schemas from "#contract/endpoints/traffic/schemas.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";
import { nested, object, type SchemaText } from "#contract/reference/schemas/schema-text.ts";

const example = { message: "Back at 14:00 UTC.", started_at: "2026-11-20T12:00:03.512Z" } as const;

export const trafficTexts = {
  setMaintenance: {
    summary: "Turn maintenance on or off",
    description: prose`
      Shows visitors a page with the status 503 instead of the site, with the \`message\`, or shows the site again. It
      lasts until it is turned off, also across deployments and restarts of the server. Health checks of deployments
      reach the site during maintenance, except checks of a \`url\` that leads to the domain.

      The setting is stored, and the project's server applies it before the response. If the server cannot be reached,
      \`applied\` is \`false\`, and \`detail\` says why. A server that is not connected applies it when it connects again. A
      request that is sent twice changes nothing. Maintenance needs the Gantry ingress on the server; other web servers
      continue to show the site.`,
    body: { on: true, message: example.message },
    answer: { maintenance: example, applied: true, detail: null },
  },
  pauseProject: {
    summary: "Hold the requests to a project",
    description: prose`
      Holds the requests to the project's domain and aliases for this many seconds from now on: they wait, and are not
      refused. Then, or after \`POST …/resume\`, all of them pass, with their bodies. Use it for a short change that the
      app cannot work through, such as a migration that locks a table. WebSockets and requests that the app has already
      received continue. A request waits for at most 30 seconds, also if the project is paused again.

      The server must be connected, and have the Gantry ingress. The pause ends by itself, also if the agent or the
      control plane fails meanwhile. A pause during a pause replaces it. Health checks of deployments are not held,
      except checks of a \`url\` that leads to the domain.`,
    body: { seconds: 20 },
    answer: { paused_until: "2026-11-20T12:00:23.512Z" },
  },
  resumeProject: {
    summary: "Let held requests through",
    description:
      "Ends the project's pause, so that the held requests pass. Does nothing if it is not paused.",
    body: {},
    answer: { paused_until: null },
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
  PauseProjectInput: object(PauseProjectInput, "How long requests are held.", {
    seconds: "The seconds from now on: 1 to 30.",
  }),
  ProjectPause: object(ProjectPause, "The pause of a project after a change.", {
    paused_until: "When the requests pass again. `null`: they are not held.",
  }),
} satisfies Record<string, SchemaText>;
