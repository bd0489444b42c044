import { commandFailure, type CommandEnd, plainOutput } from "#build/failure/command-failure.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";

/** What buildah says, and what it means. */
const meanings: readonly {
  readonly pattern: RegExp;
  readonly message: (found: RegExpExecArray) => string;
  readonly hint?: string;
}[] = [
  {
    pattern: /building at STEP "(.+?)": while running runtime: exit status (\d+)/,
    message: ([, step = "", code = ""]) => `the instruction \`${step}\` ended with exit code ${code}`,
  },
  {
    pattern: /initializing source docker:\/\/(\S+?):? .*(?:manifest unknown|name unknown|not found)/,
    message: ([, image = ""]) => `the base image ${image} does not exist`,
    hint: "Check the name and the tag after FROM.",
  },
  {
    // An instruction can name an image, too, whose registry says what is wrong. buildah prints all that its copier was asked for.
    pattern:
      /building at STEP "(.+?)": (?!.*(?:initializing source|pinging container registry))(?:.*copier\.request\{.*\}: )?(.+)/,
    message: ([, step = "", reason = ""]) => `the instruction \`${step}\` failed: ${reason}`,
  },
  {
    pattern: /(?:unauthorized|authentication required|denied)/i,
    message: () => "the registry of a base image refuses access",
    hint: "A base image of a private registry needs access, or its name is wrong: registries do not say which.",
  },
  {
    pattern: /(?:toomanyrequests|rate limit)/i,
    message: () => "the registry of a base image answers no more requests for now",
    hint: "Docker Hub limits pulls without an account. Try again later, or name a mirror in /etc/containers/registries.conf.d of the server.",
  },
  {
    pattern: /(?:dial tcp|no such host|connection refused|i\/o timeout|pinging container registry (\S+))/,
    message: () => "the registry of a base image cannot be reached",
  },
  { pattern: /^(.+)$/, message: ([, reason = ""]) => `the image could not be built: ${reason}` },
];

/** The failure of a build of an image: its instruction, or what buildah says. @param home a folder on the disk of the images */
export async function imageFailure(home: string, ran: CommandEnd): Promise<DeploymentFailure> {
  const failure = await commandFailure(home, "build", ran, null);
  const said = plainOutput(ran.stderrTail)
    .split("\n")
    .findLast((line) => line.startsWith("Error: "))
    ?.slice("Error: ".length);
  if (failure.code !== "build_failed" || said === undefined || ran.end.kind !== "exited") return failure;
  for (const { pattern, message, hint } of meanings) {
    const found = pattern.exec(said);
    if (found === null) continue;
    return { ...failure, message: message(found).slice(0, 500), ...(hint === undefined ? {} : { hint }) };
  }
  return failure;
}
