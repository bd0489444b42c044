/** The ids in the examples of the API reference: one shop on one server. */
export const example = {
  account: "acct_01kaf3m4k2e6b9xh5s0q7zy8nt",
  token: "tok_01kaf3n0a1f8c7y5j6zt4dwr9v",
  server: "srv_01kaf3pv6ge9s8mz4q2xjh7c5k",
  project: "proj_01kaf3q8x4e7rt2vw5yznb6mcd",
  earlier: "dpl_01kaf3w7d5f2mgx1r8h4pq9bzs",
  deployment: "dpl_01kaf4s2b9erj8tqv0cw6nz3yh",
  run: "run_01kaf4s3c0fv7m2k9d5w8xq6jz",
  command: "cmd_01kaf4v8q1e5s7j2b9xw3mtc6n",
  event: "evt_01kaf4s3d8e1q6w9x2m5v7bz0c",
  webhook: "whk_01kaf4t5f2g7r1c8n3y6w9kd4s",
  hook: "hook_01kaf4t6g3h8s2d9p4z7x0me5t",
  freeze: "frz_01kaf4t7h4j9t3e0q5a8y1nf6v",
  trustRule: "trust_01kaf4t9k6m1w5h2s7d0b3qg8x",
  member: "mem_01kaf4tan7n2x6j3t8e1c4rh9y",
  owner: "mem_01kaf3m9q5p8d2k7w4s6t0vb3e",
  invitation: "inv_01kaf4tbs8q3z7m4v9f2d5sj0a",
  passkey: "pk_01kaf4tct9r4a8n5w0g3e6tk1b",
  connection: "conn_01kaf4tdv0s5b6p9x1h4f7vm2c",
  identity: "idn_01kaf4tew1t6c7q0y2j5g8wn3d",
  push: "push_01kaf5c7n3v9h2k8s4jw6qd1rp",
  sha: "8e8412f0c3b1d57a94e2f6a8b0c7d1e5f3a29b64",
  commit: "8e8412f",
  earlierCommit: "51fc0d9",
  fingerprint: "MAyclgO5Kks57TlYv5JAEQ",
  publicKey: "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo",
  request: "req_5f0c9a7be2d1480c93a6b7e4",
  cursor: "WyJkZXBsb3ltZW50cyIsMTJd",
} as const;

export const secrets = {
  token: "gantry_ThisIsOnlyAnExampleOfATokenNotOne000",
  session: "gantry_session_ThisIsOnlyAnExampleOfOneNotOne00000",
  job: "gantry_job_ThisIsOnlyAnExampleOfOneNotOne00000000",
  identity:
    "eyJhbGciOiJSUzI1NiIsImtpZCI6ImV4YW1wbGUifQ.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlLmNvbSIsImF1ZCI6Imh0dHBzOi8vZ2FudHJ5LmV4YW1wbGUuY29tIiwic3ViIjoiZXhhbXBsZSIsImV4cCI6MTc5NTE2NzMwMH0.VEhJUy1JUy1OT1QtQS1TSUdOQVRVUkUh",
  signIn: "gantry_signin_ThisIsOnlyAnExampleOfOneNotOne00000",
  invitation: "gantry_invite_ThisIsOnlyAnExampleOfOneNotOne00000",
  recovery: "gantry_recover_ThisIsOnlyAnExampleOfOneNotOne0000",
  hook: "whsec_VGhpc0lzT25seUFuRXhhbXBsZU5vdEFTZWNyZXQwMDA=",
  agent: "gantry_agent_ThisIsOnlyAnExampleOfOneNotOne000000",
  enrollment: "gantry_enroll_ThisIsOnlyAnExampleOfOneNotOne00000",
} as const;

export const deploymentRow = {
  id: example.deployment,
  status: "live",
  version: 12,
  branch: "main",
  commit: example.commit,
  duration: 41.8,
  created_at: "2026-11-20T09:14:02.310Z",
} as const;

export const earlierRow = {
  id: example.earlier,
  status: "superseded",
  version: 11,
  branch: "main",
  commit: example.earlierCommit,
  duration: 39.204,
  created_at: "2026-11-19T16:40:55.081Z",
} as const;

const source = {
  project_id: example.project,
  server_id: example.server,
  kind: "deploy",
  rollback_of: null,
  trigger: "api",
  actor: { type: "token", id: example.token, name: "CI of shop" },
  commit_sha: example.sha,
  commit_message: "Show prices with tax",
} as const;

export const liveDeployment = {
  ...deploymentRow,
  ...source,
  stage: null,
  deadline_at: null,
  waiting_on: null,
  started_at: "2026-11-20T09:14:02.355Z",
  finished_at: "2026-11-20T09:14:44.155Z",
  failure: null,
  evidence: {
    target: "releases/12",
    commit_sha: example.sha,
    health_check: { url: "http://127.0.0.1:3000/up", status: 200, tries: 2 },
  },
  release_kept: true,
  stages: [
    { stage: "fetch", duration: 0.8 },
    { stage: "build", duration: 12.4 },
    { stage: "activate", duration: 0.1 },
    { stage: "verify", duration: 0.3 },
  ],
  variables_revision: 3,
  clear_cache: false,
  runs: [],
  build: null,
  approved_by: null,
  emergency: null,
  changes: null,
} as const;

export const canceledDeployment = {
  ...liveDeployment,
  status: "canceled",
  duration: 3.2,
  finished_at: "2026-11-20T09:14:05.555Z",
  evidence: null,
  release_kept: false,
} as const;

/** It was approved during a freeze. */
export const waitingDeployment = {
  ...liveDeployment,
  status: "building",
  duration: 0,
  stage: "queued",
  waiting_on: { type: "freeze", id: example.freeze, until: "2026-11-20T23:00:00.000Z" },
  started_at: null,
  finished_at: null,
  evidence: null,
  release_kept: false,
  stages: [],
  approved_by: { type: "token", id: example.token, name: "Ada" },
  changes: null,
} as const;

export const started = { id: example.deployment, status: "building", version: 12 } as const;
