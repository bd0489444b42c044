import { example, secrets } from "#contract/reference/examples.ts";
import type { OperationTexts } from "#contract/reference/operation-text.ts";
import { prose } from "#contract/reference/prose.ts";

export const agentTexts = {
  getHealth: {
    tag: "Account",
    description: prose`
      Tells whether the control plane answers and its database is there with its tables. It takes no token, and is
      made for load balancers and uptime monitors: 200 is well, 503 is not.`,
    body: null,
    answer: { status: "ok" },
  },
  enrollAgent: {
    tag: "Agent",
    description: prose`
      The agent trades its enrolment token, which works once, for a credential of its own. The credential opens the
      agent's endpoints for this one server, and nothing else. An earlier credential of the server stops working. An
      agent that has lost the answer repeats the request with the same \`attempt\`, and gets the same answer.`,
    body: { token: secrets.enrollment, hostname: "web-1", agent_version: "0.1.0", protocol: 2 },
    answer: { server_id: example.server, credential: secrets.agent },
    location: null,
  },
  reportRunEvents: {
    tag: "Agent",
    description: prose`
      The agent tells what happened in a run, in order and numbered, and learns what to do now. It keeps what has not
      been acknowledged and sends it again, so nothing is lost; what comes twice is passed over. Without events it is
      a sign of life.`,
    body: {
      project_id: example.project,
      run_id: example.run,
      events: [
        { seq: 1, type: "stage", stage: "fetch" },
        { seq: 2, type: "resolved", commit_sha: example.sha, commit_message: "Show prices with tax" },
      ],
    },
    answer: { acked_seq: 2, instruction: "continue" },
  },
} as const satisfies Partial<OperationTexts>;
