import { registryWords } from "#agent/images/registry-words.ts";
import { serverPlatform } from "#agent/containers/server-platform.ts";
import type { ImageSource } from "#agent/containers/image-source.ts";
import type { RepositoryTestCode } from "#contract/endpoints/projects/repository-access.ts";
import type { FailureCode } from "#contract/endpoints/deployments/schemas.ts";

/** Why a registry did not give an image. `test`: how a test of the repository names it. */
export type SourceFailure = {
  readonly code: Extract<
    FailureCode,
    "fetch_failed" | "ref_not_found" | "image_unsigned" | "refused_by_policy"
  >;
  readonly test: RepositoryTestCode;
  /** A sentence without a full stop. */
  readonly message: string;
  readonly hint: string | null;
};

/** What skopeo and buildah say, in the order in which it decides. */
const kinds = [
  ["unknown", /manifest unknown|name unknown|repository name not known|not found: manifest|status code 404/i],
  ["limited", registryWords.limited],
  ["denied", registryWords.denied],
  ["platform", /no image found in (?:image index|manifest list) for/i],
  ["refused", registryWords.refused],
  ["signature", /signature was required|Source image rejected/i],
  ["certificate", /x509:|tls: |server gave HTTP response to HTTPS client/i],
  [
    "interrupted",
    /(?:reading|copying|storing|parsing|writing) .*(?:unexpected EOF|connection reset by peer)/i,
  ],
  ["unreachable", /pinging container registry|dial tcp|no such host|connection refused|i\/o timeout|EOF/i],
] as const;

/** @param what the tag or the digest, with its sign, as in `:v1` */
export function sourceFailure(stderr: string, { name, user }: ImageSource, what: string): SourceFailure {
  const image = `${name}${what}`;
  const said = lastMessage(stderr);
  const kind = kinds.find(([, pattern]) => pattern.test(said))?.[0] ?? null;
  const host = name.slice(0, name.indexOf("/"));
  switch (kind) {
    case "unknown":
      return {
        ...{ code: "ref_not_found", test: "branch_not_found" },
        message: `the registry has no image ${image}`,
        hint: what.startsWith("@")
          ? "The registry may have deleted it: push the image again, or deploy another tag."
          : "Check the name of the repository and the tag, which is the branch. Some registries hide private images.",
      };
    case "limited":
      return {
        ...{ code: "fetch_failed", test: "failed" },
        message: `${host} answers no more requests for now`,
        hint: "Registries limit requests without an account: sign in with a user name in the repository's address and the secret GANTRY_REPOSITORY_TOKEN, or try again later.",
      };
    case "denied":
      return {
        ...{ code: "fetch_failed", test: "access_denied" },
        message: `${host} refuses access to ${image}`,
        hint:
          user === null
            ? "If the image is private, write the user name in the repository's address, docker://USER@HOST/NAME, and set the secret GANTRY_REPOSITORY_TOKEN to a token that may pull. If it is public, check its name."
            : `It was asked as the user \`${user}\` with the secret GANTRY_REPOSITORY_TOKEN. Check that the token is valid and may pull, and the user name in the repository's address.`,
      };
    case "platform":
      return {
        ...{ code: "fetch_failed", test: "failed" },
        message: `${image} has no image for the processor of this server`,
        hint: `Build it for this server too: ${platformText()}.`,
      };
    case "refused":
      return {
        ...{ code: "refused_by_policy", test: "refused_by_policy" },
        message: `this server's policy for images does not allow ${image}`,
        hint: said,
      };
    case "signature":
      return {
        ...{ code: "image_unsigned", test: "refused_by_policy" },
        message: `${image} does not have the signature that this server requires`,
        hint: `${said.replace(/^.*Source image rejected: /, "").slice(0, 250)}. The rule "image_signatures" of the server's policy names the keys.`,
      };
    case "interrupted":
      return {
        ...{ code: "fetch_failed", test: "unreachable" },
        message: `${host} broke off the connection before ${image} was complete`,
        hint: "What is live has not changed. Deploy again.",
      };
    case "certificate":
    case "unreachable":
      return {
        ...{ code: "fetch_failed", test: "unreachable" },
        message: `${host} cannot be reached: ${cause(said)}`,
        hint: null,
      };
    case null:
      return {
        ...{ code: "fetch_failed", test: "failed" },
        message: `${image} cannot be read: ${cause(said) || "the registry's answer has no reason"}`,
        hint: null,
      };
  }
}

const platformText = (): string => `linux/${serverPlatform() ?? process.arch}`;

/** The message that the program ended with. */
function lastMessage(stderr: string): string {
  const last = stderr.trim().split("\n").at(-1) ?? "";
  const quoted = /level=(?:fatal|error) msg=("(?:[^"\\]|\\.)*")/.exec(last)?.[1];
  return quoted === undefined ? last.replace(/^Error: /, "") : unquoted(quoted);
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The first reason of a chain. Programs print it last. */
function cause(said: string): string {
  const at = said.search(/(?:dial tcp|x509:|tls: |http: server gave)/);
  return (at === -1 ? said : said.slice(at)).slice(0, 300);
}
