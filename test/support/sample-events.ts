import type {
  DeploymentEvent,
  Event,
  EventDeployment,
  EventProject,
  ServerEvent,
} from "#contract/endpoints/events/schemas.ts";
import { DeploymentId, EventId, ProjectId, ServerId, WebhookId } from "#contract/ids.ts";

const id = (number: number) => `0${String(number).padStart(25, "0")}`;

export const SHA = "8e8412fa1c3d5b7e9f00112233445566778899aa";
export const PUSHED_SHA = "1111111111111111111111111111111111111111";

export const project: EventProject = {
  id: ProjectId.parse(`proj_${id(1)}`),
  name: "shop",
  repository: "https://github.com/alice/shop.git",
  url: "https://shop.example.com",
};

const server = ServerId.parse(`srv_${id(1)}`);
const deployment: EventDeployment = {
  id: DeploymentId.parse(`dpl_${id(12)}`),
  status: "building",
  version: 12,
  branch: "main",
  commit: "8e8412f",
  duration: 80,
  created_at: "2026-11-23T05:00:00.000Z",
  server_id: server,
  kind: "deploy",
  rollback_of: null,
  stage: null,
  trigger: "push",
  actor: { type: "hook", id: `hook_${id(1)}`, name: "alice" },
  commit_sha: SHA,
  commit_message: "Change the title\n\nIt was too long.",
  started_at: "2026-11-23T05:00:01.000Z",
  finished_at: "2026-11-23T05:01:20.000Z",
  failure: null,
  pushed_sha: SHA,
  approved_by: null,
  emergency: null,
  changes: null,
  hold: null,
};

export const failure: EventDeployment["failure"] = {
  code: "build_failed",
  message: "The build command exited with code 1",
  stage: "build",
  failing_line: "src/app.ts(3,1): error TS2304: Cannot find name 'foo'.",
  hint: "Run the build on your machine.",
};

type Changed = Partial<EventProject> & {
  readonly sequence?: number;
  readonly replacedBy?: DeploymentEvent["data"]["replaced_by"];
};

/** An event of a deployment. `sequence` also gives the event its id. */
export function deploymentEvent(
  type: DeploymentEvent["type"],
  changed: Partial<EventDeployment> = {},
  { sequence = 1, replacedBy = null, ...changedProject }: Changed = {},
): DeploymentEvent {
  return {
    id: EventId.parse(`evt_${id(sequence)}`),
    type,
    timestamp: "2026-11-23T05:01:20.000Z",
    data: {
      sequence,
      actor: { type: "token", id: null, name: "ci" },
      project: { ...project, ...changedProject },
      deployment: { ...deployment, ...(type === "deployment.failed" ? { failure } : {}), ...changed },
      replaced_by: replacedBy,
    },
  };
}

export function serverEvent(type: ServerEvent["type"], name = "web-1"): ServerEvent {
  return {
    id: EventId.parse(`evt_${id(2)}`),
    type,
    timestamp: "2026-11-23T05:01:20.000Z",
    data: {
      sequence: 2,
      actor: { type: "system", id: null, name: "Gantry" },
      server: { id: server, name, status: "offline" },
      changed: [],
    },
  };
}

export function testEvent(name = "Chat"): Event {
  return {
    id: EventId.parse(`evt_${id(3)}`),
    type: "webhook.test",
    timestamp: "2026-11-23T05:01:20.000Z",
    data: {
      sequence: 3,
      actor: { type: "token", id: null, name: "ci" },
      webhook: { id: WebhookId.parse(`whk_${id(1)}`), name, kind: "slack" },
      reason: null,
    },
  };
}
