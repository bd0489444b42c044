import { basename } from "node:path";

import type { ImageChoice } from "#build/choose-image.ts";
import { makeFailure } from "#build/failure/make-failure.ts";
import { findProgram, USUAL_PATH } from "#build/tools/find-program.ts";
import type { LocalBuild } from "#cli/builds/prepare-build.ts";
import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { shellWord } from "#node/shell-quote.ts";

/** The line that builds an image on this machine, and the name that the image gets. */
export type ImageCommand = { readonly line: string; readonly tag: string };

/** The programs that build images. The first program that is installed is used. */
const engines = ["podman", "docker"] as const;

/** What names the image. */
type BuildNames = {
  readonly source: Pick<LocalBuild["source"], "top">;
  readonly project: { readonly project: { readonly name: string } } | null;
};
type ImageFacts = Pick<ImageChoice, "dockerfile"> & {
  readonly facts: Pick<ImageChoice["facts"], "argNames" | "secrets">;
};

/**
 * How this machine builds the image of a project as a server does: with the same build arguments and secrets.
 * @param variables of the build. A variable that the Dockerfile mounts as a secret is a secret
 */
export async function imageCommand(
  { source, project }: BuildNames,
  { dockerfile: { path, context, target }, facts }: ImageFacts,
  variables: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): Promise<ResultOf<ImageCommand, { readonly failure: DeploymentFailure }>> {
  const found: string[] = [];
  for (const name of engines)
    if ((await findProgram(name, environment["PATH"] ?? USUAL_PATH)) !== null) found.push(name);
  const [engine] = found;
  if (engine === undefined)
    return {
      ok: false,
      failure: makeFailure(
        "containers_missing",
        "build",
        "this machine has neither podman nor docker",
        undefined,
        "Install one of them to build the image here. A deployment builds it on the server.",
      ),
    };
  const tag = tagOf(project?.project.name ?? basename(source.top));
  const secrets = facts.secrets.filter((name) => Object.hasOwn(variables, name));
  const args = facts.argNames.filter((name) => Object.hasOwn(variables, name) && !secrets.includes(name));
  const line = [
    `${engine} build --tag ${tag} --file ${shellWord(path)}`,
    ...(target === undefined ? [] : [`--target ${shellWord(target)}`]),
    ...args.map((name) => `--build-arg ${name}`),
    ...secrets.map((name) => `--secret id=${name},env=${name}`),
    shellWord(context),
  ].join(" ");
  return succeed({ line, tag });
}

/** Names of images have no spaces and no capital letters. */
function tagOf(name: string): string {
  const letters = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return `gantry/${letters === "" ? "app" : letters}`;
}
