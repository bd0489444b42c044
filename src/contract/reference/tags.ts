/** The parts of the reference, in its order. */
export const tags = {
  Deployments:
    "A deployment is one run that publishes a project's code. Start one, watch it, read its log, cancel it, go back to an earlier one.",
  Projects: "A project is an application: a git repository, the server it runs on, and how it is built.",
  Servers:
    "A server is a host of yours with Gantry's agent on it. The agent dials out, so the host opens no port.",
  Tokens:
    "A token is what a client shows to be let in. It has scopes, an end, and perhaps limits to projects.",
  Account: "Whose token this is, and whether the control plane is there.",
  Agent:
    "What Gantry's own agent uses, written down for whoever looks at its traffic. It changes together with the agent, and no promise of a version covers it.",
} as const;

export type Tag = keyof typeof tags;

/** The part that only the agent uses. */
export const INTERNAL_TAG = "Agent" satisfies Tag;
