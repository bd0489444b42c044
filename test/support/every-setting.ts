import {
  initialProcess,
  type ProcessField,
  ProcessFields,
  processFields,
} from "#contract/endpoints/processes/process-settings.ts";
import type { UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import type { SettingName } from "#contract/endpoints/projects/project-settings.ts";
import { defaultTimeouts } from "#contract/stages.ts";

/** A value for each setting of a process that no process has by default. */
export const everyProcessSetting = ProcessFields.parse(
  Object.fromEntries(processFields.map((name) => [name, otherValue(name)])),
);

/** The first of some values that a setting accepts, besides its initial value. */
function otherValue(name: ProcessField): unknown {
  const initial = new Map<string, unknown>(Object.entries({ ...initialProcess, port: true })).get(name);
  const values = ["SIGQUIT", "make serve", 2, 64, true, false, "host"];
  const other = values.find(
    (value) => value !== initial && ProcessFields.shape[name].safeParse(value).success,
  );
  if (other === undefined) throw new Error(`Add a value that ${name} accepts.`);
  return other;
}

type Given = { readonly [Name in SettingName]: NonNullable<UpdateProjectInput[Name]> };

/** A value for each setting of a project that no new project has. Other servers have tests of their own. */
export const everySetting = {
  name: "store",
  repository: "git@git.test:team/store.git",
  branch: "trunk",
  commits: "any",
  framework: "astro",
  domain: "store.example.com",
  root_directory: "apps/store",
  install_command: "make deps",
  build_command: "make",
  dockerfile: { path: "docker/Dockerfile", context: "apps", target: "web" },
  output_directory: "public",
  trailing_slash: "never",
  fallback: "200.html",
  release_command: "make migrate",
  activate_command: "touch /tmp/restart",
  shared_paths: ["storage"],
  keep_releases: 9,
  asset_overlap: 0,
  health_check: { path: "/up", status: 204, tries: 3, interval_seconds: 0.5, timeout_seconds: 2 },
  timeouts: {
    ...defaultTimeouts,
    queue_seconds: 1,
    fetch_seconds: 2,
    build_seconds: 3,
    activate_seconds: 4,
    verify_seconds: 5,
  },
  limits: { memory_mb: 512, cpu_weight: 200, tasks: 64 },
  queue: "latest",
  approval: "required",
  processes: { web: everyProcessSetting },
  drain_seconds: 7,
  aliases: [{ domain: "www.store.example.com", redirect: false }],
  cron: [{ name: "backup", schedule: "@daily", command: "make backup" }],
  deploy_on: {
    enabled: false,
    branches: ["main"],
    tags: ["v*"],
    paths: ["src/**"],
    ignore_paths: ["docs/**"],
    skip_markers: ["[skip]"],
    poll: true,
  },
  rollout: {
    order: "at_once",
    batch: 2,
    pause_seconds: 5,
    canary: { size: 3, approval: true },
    on_failure: "continue",
    offline: "skip",
    min: 2,
  },
  entry: { type: "own", balancers: [], sticky: false },
  artifact_uploads: true,
} satisfies Omit<Given, "server_id" | "servers" | "build_on">;
