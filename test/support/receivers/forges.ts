import { field, isText } from "./checks.ts";

/** A request to the API of a forge, as a server receives it. */
export type ForgeRequest = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body; null: it has none. */
  readonly body: unknown;
};

export type ForgeAnswer = { readonly status: number; readonly body: unknown };

type Status = { readonly state: string; readonly context: string; readonly description: string };
type Deployment = { readonly id: number; readonly request: unknown; readonly states: string[] };

/** What a fake forge has been told: the statuses of each commit, the oldest first, and GitHub's deployments. */
export type ForgeState = {
  readonly statuses: Map<string, Status[]>;
  readonly deployments: Deployment[];
};

/**
 * A fake of the API of one forge, which checks requests as the real one does. `token`: the only token that it accepts.
 */
export type FakeForge = ForgeState & { answer(request: ForgeRequest): ForgeAnswer };

const notFound = { status: 404, body: { message: "Not Found" } };

/**
 * GitHub, below the path of its API. Without `auto_merge: false` it merges, and without `required_contexts: []` it refuses
 * commits with a status that is not a success. Source: GitHub's REST API, "Deployments" and "Commit statuses".
 */
export function fakeGithub(token: string): FakeForge {
  const { statuses, deployments }: ForgeState = { statuses: new Map(), deployments: [] };
  return {
    statuses,
    deployments,
    answer({ method, path, headers, body }) {
      if (headers["authorization"] !== `Bearer ${token}`)
        return { status: 401, body: { message: "Bad credentials" } };
      if (path === "/rate_limit") return { status: 200, body: {} };
      const [, sha] = /^\/repos\/[\w.-]+\/[\w.-]+\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
      if (sha !== undefined) return answerStatus(statuses, sha, body, "context", githubStates, 140);
      const [, base, id] =
        /^(\/repos\/[\w.-]+\/[\w.-]+\/deployments)(?:\/(\d+)\/statuses|\?.*)?$/.exec(path) ?? [];
      if (base === undefined) return notFound;
      const describe = (one: Deployment) => ({
        url: `https://api.github.example${base}/${one.id}`,
        id: one.id,
        payload: field(one.request, "payload"),
        statuses_url: `https://api.github.example${base}/${one.id}/statuses`,
        // The real answer is longer than what Gantry reads.
        creator: { url: `https://api.github.example/users/${"x".repeat(5000)}` },
      });
      if (method === "GET") {
        const query = new URLSearchParams(path.split("?")[1]);
        const found = deployments.filter(
          ({ request }) =>
            field(request, "ref") === query.get("sha") &&
            field(request, "environment") === query.get("environment"),
        );
        return {
          status: 200,
          body: found
            .toReversed()
            .slice(0, Number(query.get("per_page")))
            .map(describe),
        };
      }
      if (id !== undefined) return answerDeploymentState(deployments, Number(id), body);
      if (field(body, "auto_merge") !== false)
        return { status: 202, body: { message: "Auto-merged main into topic on deployment." } };
      const contexts = field(body, "required_contexts");
      if (!Array.isArray(contexts) || contexts.length > 0)
        return { status: 409, body: { message: "Conflict: Commit status checks failed for main." } };
      const isValid =
        isText(body, "ref", 1, 255) &&
        isText(body, "environment", 1, 255) &&
        isText(body, "description", 1, 140);
      if (!isValid) return { status: 422, body: { message: "Validation Failed" } };
      const one: Deployment = { id: 4_000_000_000 + deployments.length, request: body, states: [] };
      deployments.push(one);
      return { status: 201, body: describe(one) };
    },
  };
}

const githubStates = ["pending", "success", "failure", "error"];
const deploymentStates = ["error", "failure", "inactive", "in_progress", "queued", "pending", "success"];

function answerDeploymentState(deployments: readonly Deployment[], id: number, body: unknown): ForgeAnswer {
  const state = String(field(body, "state"));
  const one = deployments.find((deployment) => deployment.id === id);
  if (one === undefined) return notFound;
  if (!deploymentStates.includes(state) || !isText(body, "description", 1, 140))
    return { status: 422, body: { message: "Validation Failed" } };
  one.states.push(state);
  return { status: 201, body: { id: 1, state } };
}

/** Gitea and Forgejo, below `/api/v1`. Source: Gitea's API, "repoCreateStatus". */
export function fakeGitea(token: string): FakeForge {
  const statuses = new Map<string, Status[]>();
  return {
    statuses,
    deployments: [],
    answer({ path, headers, body }) {
      if (headers["authorization"] !== `token ${token}`)
        return { status: 401, body: { message: "user does not exist" } };
      if (path === "/api/v1/version") return { status: 200, body: { version: "1.22.0" } };
      const [, sha] = /^\/api\/v1\/repos\/[\w.-]+\/[\w.-]+\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
      if (sha === undefined) return notFound;
      return answerStatus(statuses, sha, body, "context", [...githubStates, "warning"], 10_000);
    },
  };
}

/**
 * GitLab, below `/api/v4`. It refuses a state that a status has already, while that status has not ended.
 * Source: GitLab's "Commits API", and the machine of its class CommitStatus.
 */
export function fakeGitlab(token: string): FakeForge {
  const statuses = new Map<string, Status[]>();
  return {
    statuses,
    deployments: [],
    answer({ path, headers, body }) {
      if (headers["private-token"] !== token) return { status: 401, body: { message: "401 Unauthorized" } };
      if (path === "/api/v4/version") return { status: 200, body: { version: "18.6.0" } };
      const [, sha] =
        /^\/api\/v4\/projects\/[\w.-]+(?:%2F[\w.-]+)+\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
      if (sha === undefined) return notFound;
      const last = statuses.get(sha)?.at(-1)?.state;
      const state = field(body, "state");
      const isRefused =
        last === "running"
          ? state === "pending" || state === "running"
          : last === "pending" && state === "pending";
      if (isRefused) {
        const step = state === "pending" ? "enqueue" : "run";
        const message = `Cannot transition status via :${step} from :${last} (Reason(s): Status cannot transition via "${step}")`;
        return { status: 400, body: { message } };
      }
      return answerStatus(
        statuses,
        sha,
        body,
        "name",
        ["pending", "running", "success", "failed", "canceled", "skipped"],
        255,
      );
    },
  };
}

/** Bitbucket Cloud, below `/2.0`. Source: Bitbucket's REST API, "Commit statuses". */
export function fakeBitbucket(token: string): FakeForge {
  const statuses = new Map<string, Status[]>();
  return {
    statuses,
    deployments: [],
    answer({ path, headers, body }) {
      if (headers["authorization"] !== `Bearer ${token}`) return { status: 401, body: { type: "error" } };
      if (path === "/2.0/hook_events") return { status: 200, body: {} };
      const [, sha] =
        /^\/2\.0\/repositories\/[\w.-]+\/[\w.-]+\/commit\/([0-9a-f]{40})\/statuses\/build$/.exec(path) ?? [];
      if (sha === undefined) return notFound;
      if (!isText(body, "key", 1, 40)) return { status: 400, body: { type: "error" } };
      return answerStatus(
        statuses,
        sha,
        body,
        "name",
        ["INPROGRESS", "SUCCESSFUL", "FAILED", "STOPPED"],
        255,
      );
    },
  };
}

function answerStatus(
  statuses: Map<string, Status[]>,
  sha: string,
  body: unknown,
  nameField: string,
  states: readonly string[],
  maxDescription: number,
): ForgeAnswer {
  const state = String(field(body, "state"));
  const url = String(field(body, "target_url") ?? field(body, "url"));
  const isValid =
    states.includes(state) &&
    isText(body, nameField, 1, 255) &&
    isText(body, "description", 1, maxDescription) &&
    /^https?:\/\//.test(url);
  if (!isValid) return { status: 422, body: { message: "Validation Failed" } };
  const status = {
    state,
    context: String(field(body, nameField)),
    description: String(field(body, "description")),
  };
  statuses.set(sha, [...(statuses.get(sha) ?? []), status]);
  return { status: 201, body: { id: 1, ...status } };
}
