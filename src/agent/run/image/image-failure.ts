import { registryWords } from "#agent/images/registry-words.ts";
import { policyFileOf } from "#agent/policy/refuse.ts";
import { loginFor } from "#agent/secrets/registry-auth.ts";
import type { AgentContext } from "#agent/context/context.ts";
import { commandFailure, type CommandEnd, plainOutput } from "#build/failure/command-failure.ts";
import { NO_PROGRAM, noProgram } from "#build/failure/failure-hint.ts";
import type { DeploymentFailure, FailureCode } from "#contract/endpoints/deployments/schemas.ts";
import type { RegistryLogin } from "#contract/endpoints/variables/registry-logins.ts";
import { REGISTRY_TOKEN } from "#contract/endpoints/variables/schemas.ts";

/** What a build was about to get. `image`: its name; null: not known. `policy`: the file of the server's rules. */
type Pull = {
  readonly image: string | null;
  readonly logins: readonly RegistryLogin[];
  readonly policy: string;
};

type Meaning = {
  readonly pattern: RegExp;
  /** Omitted: the build has failed. */
  readonly code?: Extract<FailureCode, "fetch_failed" | "image_unsigned" | "refused_by_policy">;
  readonly message: (found: RegExpExecArray, pull: Pull) => string;
  readonly hint?: (pull: Pull, found: RegExpExecArray) => string;
};

const baseImage = ({ image }: Pull) => (image === null ? "a base image" : `the base image ${image}`);
const registryOf = ({ image }: Pull) => image?.split("/")[0] ?? "the registry of a base image";

/** What buildah says, and what it means. */
const meanings: readonly Meaning[] = [
  {
    pattern: /building at STEP "(.+?)": while running runtime: exit status (\d+)/,
    message: ([, step = "", code = ""]) => `the instruction \`${step}\` ended with exit code ${code}`,
  },
  {
    pattern: /initializing source docker:\/\/(\S+?):? .*(?:manifest unknown|name unknown|not found)/,
    message: ([, image = ""]) => `the base image ${image} does not exist`,
    hint: () => "Check the name and the tag after FROM.",
  },
  {
    pattern: registryWords.refused,
    code: "refused_by_policy",
    message: (_, pull) => `this server's policy (image_signatures) does not allow ${baseImage(pull)}`,
    hint: ({ policy }) => `Its administrator can change the rule "image_signatures" in ${policy}.`,
  },
  {
    pattern: /Source image rejected: (.+)/,
    code: "image_unsigned",
    message: (_, pull) => `${baseImage(pull)} does not have the signature that this server requires`,
    hint: ({ policy }, [, reason = ""]) =>
      `${reason.slice(0, 250)}. The rule "image_signatures" in ${policy} names the keys.`,
  },
  {
    // An instruction can name an image, too, whose registry says what is wrong. buildah prints all that its copier was asked for.
    pattern:
      /building at STEP "(.+?)": (?!.*(?:initializing source|pinging container registry))(?:.*copier\.request\{.*\}: )?(.+)/,
    message: ([, step = "", reason = ""]) => `the instruction \`${step}\` failed: ${reason}`,
  },
  {
    pattern: registryWords.limited,
    code: "fetch_failed",
    message: () => "the registry of a base image answers no more requests for now",
    hint: () =>
      `Docker Hub limits pulls without an account. Sign in with the secret ${REGISTRY_TOKEN}, try again later, or name a mirror in /etc/containers/registries.conf.d of the server.`,
  },
  {
    pattern: registryWords.denied,
    code: "fetch_failed",
    message: (_, pull) => `${registryOf(pull)} refuses access to ${baseImage(pull)}`,
    hint: (pull) => {
      const login = loginFor(pull.logins, pull.image ?? "");
      return login === null
        ? `If it is private, add a line USER:TOKEN@${pull.image?.split("/")[0] ?? "HOST"} to the secret ${REGISTRY_TOKEN}. If it is public, check its name: registries do not say which.`
        : `It was asked as the user \`${login.user}\` with the secret ${REGISTRY_TOKEN}. Check the user, and that the token is valid and may pull this image.`;
    },
  },
  {
    pattern: /(?:dial tcp|no such host|connection refused|i\/o timeout|pinging container registry)/,
    code: "fetch_failed",
    message: (_, pull) => `${registryOf(pull)} cannot be reached`,
  },
  { pattern: /^(.+)$/, message: ([, reason = ""]) => `the image could not be built: ${reason}` },
];

/** A program that is missing is missing in the image, and not on the server. */
function inImage(failure: DeploymentFailure, output: string): DeploymentFailure {
  const [, program] = NO_PROGRAM.exec(plainOutput(output)) ?? [];
  if (program === undefined || failure.hint !== noProgram(program) || program.includes("/")) return failure;
  const hint = `The image has no program \`${program}\` at that instruction: install it in an earlier one, or base the stage on an image that has it.`;
  return { ...failure, hint };
}

/** The output of the last instruction: lines of earlier ones, such as the names of packages, do not say why it failed. */
function lastStep(output: string): string {
  const [start] = [...output.matchAll(/^(?:\[\d+\/\d+\] )?STEP \d+\/\d+: .*$/gm)].slice(-1);
  const own = start === undefined ? output : output.slice(start.index + start[0].length);
  // The message of the failure says it.
  return own.replace(/^Error: building at STEP .*$/m, "");
}

/** The failure of a build of an image: its instruction, or what buildah says. */
export async function imageFailure(
  { home, policy }: Pick<AgentContext, "home" | "policy">,
  ran: CommandEnd,
  pulled: Omit<Pull, "policy">,
): Promise<DeploymentFailure> {
  // The folder of the images is on the same disk.
  const outputTail = lastStep(ran.outputTail);
  const failure = inImage(await commandFailure(home, "build", { ...ran, outputTail }, null), outputTail);
  const said = plainOutput(ran.stderrTail)
    .split("\n")
    .findLast((line) => line.startsWith("Error: "))
    ?.slice("Error: ".length);
  if (failure.code !== "build_failed" || said === undefined || ran.end.kind !== "exited") return failure;
  const pull = { ...pulled, policy: policyFileOf(policy) };
  for (const { pattern, code = "build_failed", message, hint } of meanings) {
    const found = pattern.exec(said);
    if (found === null) continue;
    return {
      ...failure,
      code,
      message: message(found, pull).slice(0, 500),
      ...(hint === undefined ? {} : { hint: hint(pull, found) }),
    };
  }
  return failure;
}

/** The name of the image that a build was getting at its end, with its registry and its tag; null: none. */
export function pulledImage({ stderrTail }: CommandEnd): string | null {
  const all = [...plainOutput(stderrTail).matchAll(/^Trying to pull (\S+?)\.\.\.$/gm)];
  return all.at(-1)?.[1] ?? null;
}

/** The image of an instruction that a build could not get, for a reason that buildah does not print; null: there is none. */
export function unreadableImage(ran: CommandEnd): string | null {
  return /: no stage or image found with that name$/m.test(plainOutput(ran.stderrTail))
    ? pulledImage(ran)
    : null;
}
