/** The sections of the API reference, in order. */
export const tags = {
  Deployments:
    "A deployment is one run that publishes the code of a project. You can start, follow, cancel and roll back deployments, and read their logs.",
  Projects: "A project is an application: a git repository, the server it runs on, and its build settings.",
  Processes:
    "A process is a command of a project that keeps running, such as `web`. Its instances run the live release. A change of a process is a deployment without a build.",
  Commands:
    "A command runs once in the live release of a project, such as a task of its framework. The server's policy must allow it.",
  Cron: "A cron job of a project runs a command at the times of its schedule, in the live release. The server's policy must allow it.",
  Pushes:
    "A hook is an address to which a git host reports the pushes of a repository. Each project of the repository decides by its setting `deploy_on` which of them are deployed. The ledger lists every push with what was decided, and why.",
  Variables:
    "Variables and secrets are a project's environment. Secrets are sealed for the agent of the project's server, so the control plane cannot read them.",
  Freezes: "A freeze is a time in which deployments wait, such as a weekend. Rollbacks do not wait.",
  Servers:
    "A server is one of your hosts, with Gantry's agent on it. The agent connects to the control plane, so the host needs no open port.",
  Events:
    "An event is one change: of a deployment, a server, a project, a token and others. You can list events, follow them as they happen, and have them sent to a webhook.",
  Webhooks:
    "A webhook sends events to a target: signed to a program of yours, as messages to a chat or by mail, or as the state of commits to a git host.",
  Audit: "The audit log says who changed what. Each hour its new entries are sealed by a chain of hashes.",
  Tokens: "A token authenticates a client. It has scopes and an expiry time, and can be limited to projects.",
  Members:
    "A member is a person in an account, who signs in with a passkey. Roles say what the person may do, in the whole account or in some projects.",
  Profile:
    "What a person who is signed in manages for themselves: passkeys, recovery codes, sessions and personal tokens.",
  Connections:
    "A connection lets the members of an account sign in by a provider: any issuer of OpenID Connect, or GitHub. Owners change connections.",
  Trust:
    "A trust rule gives tokens to the jobs of a CI system, which prove who they are by identity tokens. So CI needs no stored token.",
  Account: "The account of the token, and the health of the control plane.",
  Agent:
    "The endpoints of Gantry's own agent, documented for people who inspect its traffic. They change together with the agent, and the versioning promise does not cover them.",
} as const;

export type Tag = keyof typeof tags;

/** The section that only the agent uses. */
export const INTERNAL_TAG = "Agent" satisfies Tag;
