import type { CreateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { type MarkOf, type Marks, NeedsToo } from "#contract/powers/marks.ts";
import { mapValues } from "#contract/lib/map-values.ts";
import { defaultTimeouts } from "#contract/stages.ts";

// What the operations and the fields of their requests let a caller do. An operation or field without a mark does not
// compile. A mark of an operation or object counts for all of its fields, also later ones. Only `none` must be given for
// each field.

const processSettings = {
  command: "run_code",
  instances: "none",
  port: "none",
  memory_mb: "none",
  cpu_weight: "none",
  tasks: "none",
  // SIGUSR1 opens the debugger of a Node app to every program on the server.
  stop_signal: "run_code",
  stop_seconds: "none",
  overlap: "none",
  // Another port of a container can be one for administrators.
  container_port: "run_code",
  // What listens on the server's 127.0.0.1 often trusts all programs there.
  network: "run_code",
} as const;

/** A deployment that passes freezes and approvals. */
const emergency = new NeedsToo("deployments:emergency", "weaken_guard");

const source = {
  branch: "choose_code",
  commit: "choose_code",
  clear_cache: "none",
  // Only for a project that takes builds made elsewhere (`artifact_uploads`).
  artifact: "choose_code",
  emergency,
} as const;

const projectSettings = {
  name: "none",
  // Another server gets the source code and the secrets.
  server_id: "send_data",
  servers: { "*": { id: "send_data", processes: "none", cron: "none" } },
  rollout: {
    order: "none",
    batch: "none",
    pause_seconds: "none",
    // Without it, nobody need look at the first servers.
    canary: { size: "none", approval: "weaken_guard" },
    on_failure: "none",
    offline: "none",
    min: "none",
  },
  // A balancer reads the requests of visitors.
  entry: { type: "none", balancers: "send_data", sticky: "none" },
  // The server gets the source code and the secrets, and what it builds runs on the others.
  build_on: "send_data",
  artifact_uploads: "weaken_guard",
  repository: "choose_code",
  branch: "choose_code",
  commits: "weaken_guard",
  // The framework determines the commands.
  framework: "run_code",
  install_command: "run_code",
  build_command: "run_code",
  dockerfile: "run_code",
  release_command: "run_code",
  activate_command: "run_code",
  // Files in the output directory are published.
  root_directory: "read_secrets",
  output_directory: "read_secrets",
  trailing_slash: "none",
  fallback: "none",
  shared_paths: "read_secrets",
  keep_releases: "weaken_guard",
  asset_overlap: "none",
  health_check: {
    path: "none",
    url: "send_data",
    status: "none",
    tries: "none",
    interval_seconds: "none",
    timeout_seconds: "none",
  },
  limits: { memory_mb: "none", cpu_weight: "none", tasks: "none" },
  timeouts: mapValues(defaultTimeouts, () => "none" as const),
  queue: "none",
  approval: "weaken_guard",
  processes: { "*": { ...processSettings, stopped: "none" } },
  drain_seconds: "none",
  domain: "none",
  aliases: { "*": { domain: "none", redirect: "none" } },
  cron: {
    "*": { name: "none", schedule: "none", command: "run_code", timezone: "none", timeout_seconds: "none" },
  },
  deploy_on: {
    enabled: "choose_code",
    branches: "choose_code",
    tags: "choose_code",
    paths: "choose_code",
    ignore_paths: "choose_code",
    skip_markers: "choose_code",
    poll: "none",
  },
} as const satisfies MarkOf<"projects:write", CreateProjectInput>;

export const marks = {
  listProjectDeployments: "none",
  startDeployment: source,
  getProjectDeployment: "read_output",
  deleteDeployment: "none",
  deploy: { ...source, project_id: "choose_code" },
  listDeployments: "read_output",
  getDeployment: "read_output",
  cancelDeployment: "none",
  rollBack: {
    project_id: "choose_code",
    deployment_id: "choose_code",
    version: "choose_code",
    settings: "choose_code",
    variables: "choose_code",
    emergency,
  },
  listRollbackTargets: "none",
  approveDeployment: "weaken_guard",
  uploadArtifactPart: "none",
  getDeploymentLog: "read_output",

  listProjects: "none",
  createProject: projectSettings,
  getProject: "none",
  updateProject: { ...projectSettings, automatic: "run_code" },
  getDeployKey: "none",
  testRepository: { repository: "send_data", branch: "none" },
  deleteProject: { purge: "none" },
  checkDomains: "none",

  getProcesses: "read_output",
  // Who deploys may scale, but not choose what runs.
  updateProcess: {
    ...processSettings,
    command: new NeedsToo("projects:write", "run_code"),
    stop_signal: new NeedsToo("projects:write", "run_code"),
    container_port: new NeedsToo("projects:write", "run_code"),
    network: new NeedsToo("projects:write", "run_code"),
    emergency,
  },
  restartProcess: { emergency },
  stopProcess: { emergency },
  startProcess: { emergency },
  applyConfig: { emergency },
  getOutput: "read_output",
  setMaintenance: { on: "none", message: "none" },
  pauseProject: { seconds: "none" },
  resumeProject: "none",

  getVariables: "none",
  // A variable such as NODE_OPTIONS runs code. Builds of every branch get a secret with `build`.
  updateVariables: {
    set: {
      "*": {
        ...{ name: "run_code", value: "run_code", sealed: "run_code", ciphertext: "run_code" },
        ...{ secret: "none", build: "read_secrets" },
      },
    },
    remove: "run_code",
    revision: "none",
  },
  listVariableRevisions: "none",

  runCommand: "run_code",
  listCommands: "none",
  getCommand: "none",
  getCommandOutput: "read_output",
  stopCommand: "none",

  // The jobs come from the live release and from the project's settings.
  listCronJobs: "none",
  getCronJob: "none",
  runCronJob: "none",
  getCronOutput: "read_output",
  stopCronRun: "none",

  listFreezes: "none",
  createFreeze: {
    name: "none",
    project_id: "none",
    times: { type: "none", from: "none", to: "none", days: "none", timezone: "none" },
  },
  getFreeze: "none",
  updateFreeze: { name: "none", times: "weaken_guard" },
  deleteFreeze: "weaken_guard",

  // A person who knows a hook's secret can report pushes.
  listHooks: "none",
  createHook: "choose_code",
  getHook: "none",
  rotateHook: "grant_access",
  deleteHook: "none",
  listHookPushes: "none",
  replayPush: "choose_code",
  listProjectPushes: "none",

  listWebhooks: "none",
  createWebhook: "send_data",
  getWebhook: "none",
  updateWebhook: {
    name: "none",
    events: "send_data",
    project_ids: "send_data",
    enabled: "send_data",
    url: "send_data",
    headers: "send_data",
    topic: "send_data",
    token: "send_data",
    to: "send_data",
    only_recoveries: "none",
    api_url: "send_data",
    statuses: "send_data",
    deployments: "send_data",
    environment: "none",
  },
  deleteWebhook: "none",
  testWebhook: "send_data",
  rotateWebhook: "grant_access",
  listDeliveries: "none",
  resendDelivery: "send_data",
  resendDeliveries: "send_data",

  listServers: "none",
  // The agent that enrols gets the source code and the secrets of the server's projects.
  createServer: "read_secrets",
  getServer: "none",
  // Other servers pass on the checks of an issuer of certificates to the ip, which so can get one for their domains. Balancers
  // send requests to the address only if the server's key is there.
  updateServer: { name: "none", ip: "send_data", region: "none", address: "none" },
  drainServer: "none",
  undrainServer: "none",
  deleteServer: "none",
  createEnrollment: "read_secrets",

  // The event of a failure has the line that the build or the app printed.
  listEvents: "read_output",
  getEvent: "read_output",
  listAuditEntries: "none",
  listAuditSeals: "none",
  listAuditSealCopies: "none",

  listTokens: "none",
  getToken: "none",
  createToken: "grant_access",
  revokeToken: "none",
  rotateToken: "grant_access",
  endSession: "none",

  createChallenge: { act: "none" },

  listMembers: "none",
  getMember: "none",
  updateMember: { name: "none", email: "none", is_owner: "grant_access", grants: "grant_access" },
  removeMember: "none",
  createOwner: {
    name: "none",
    email: "none",
    passkey: { id: "none", response: { clientDataJSON: "none", attestationObject: "none" } },
    passkey_name: "none",
  },
  listConnections: "none",
  listInvitations: "none",
  getInvitation: "none",
  createInvitation: "grant_access",
  deleteInvitation: "none",

  listTrustRules: "none",
  createTrustRule: "grant_access",
  getTrustRule: "none",
  updateTrustRule: "grant_access",
  deleteTrustRule: "none",
  testTrustRules: { subject_token: "none" },

  getAccount: "none",
  updateAccount: { log_retention_days: "weaken_guard", deployment_retention_days: "weaken_guard" },
} as const satisfies Marks;
