import { problemOfDiscord } from "./discord.ts";
import {
  type FakeForge,
  fakeBitbucket,
  fakeGitea,
  fakeGithub,
  fakeGitlab,
  type ForgeRequest,
} from "./forges.ts";
import { problemOfNtfy } from "./ntfy.ts";
import { problemOfSlack } from "./slack.ts";
import { problemOfTeams } from "./teams.ts";
import { FORGE_TOKEN } from "./token.ts";

/** A service whose answers a receiver can give. */
export type Service = keyof typeof chats | keyof typeof forges;

type Answer = { readonly status: number; readonly body: string };
type Chat = (body: unknown) => Answer;

const chats = {
  slack(body) {
    const problem = problemOfSlack(body);
    return problem === null ? { status: 200, body: "ok" } : { status: 400, body: problem };
  },
  discord(body) {
    const problem = problemOfDiscord(body);
    if (problem === null) return { status: 204, body: "" };
    return { status: 400, body: JSON.stringify({ message: "Invalid Form Body", code: 50035, problem }) };
  },
  teams(body) {
    // A real workflow accepts it, and fails afterwards.
    const problem = problemOfTeams(body);
    return problem === null ? { status: 202, body: "" } : { status: 400, body: problem };
  },
  ntfy(body) {
    const problem = problemOfNtfy(body);
    return problem === null ? { status: 200, body: "{}" } : { status: 400, body: problem };
  },
} satisfies Readonly<Record<string, Chat>>;

const forges = { github: fakeGithub, gitlab: fakeGitlab, gitea: fakeGitea, bitbucket: fakeBitbucket };

/** Answers as a service does. A forge remembers the statuses that it was sent. */
export function fakeService(service: Service): (request: ForgeRequest) => Answer {
  if (isForge(service)) {
    const forge: FakeForge = forges[service](FORGE_TOKEN);
    return (request) => {
      // The path of GitHub Enterprise Server. The fake has the path of api.github.com.
      const { status, body } = forge.answer({ ...request, path: request.path.replace(/^\/api\/v3/, "") });
      return { status, body: JSON.stringify(body) };
    };
  }
  return ({ body }) => chats[service](body);
}

function isForge(service: Service): service is keyof typeof forges {
  return service in forges;
}
