import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import type { ServerState } from "#contract/endpoints/projects/schemas.ts";
import { keySettingsOf } from "#contract/forge.ts";
import type { Output } from "#cli/output/output.ts";
import { type Fact, printFacts } from "#cli/output/facts.ts";
import { printableName } from "#cli/output/printable.ts";

/** Prints a project's public deploy key, and the steps to add it to the repository. */
export function printDeployKey(output: Output, key: DeployKeySummary, repository: string): void {
  if (output.form === "terminal") output.line();
  printFacts(output, [
    ["deploy key", key.public_key],
    ["fingerprint", key.fingerprint],
    ...stepFacts("add it at", repository),
  ]);
}

/** Prints the deploy keys of a project on several servers, and the steps to add them to the repository. */
export function printDeployKeys(
  output: Output,
  servers: readonly Pick<ServerState, "name" | "deploy_key">[],
  repository: string,
): void {
  if (output.form === "terminal") output.line();
  printFacts(output, [
    ...servers.flatMap(({ name, deploy_key: key }): Fact[] => [
      [`deploy key of ${printableName(name)}`, key?.public_key ?? "not known yet"],
      [`fingerprint of ${printableName(name)}`, key?.fingerprint ?? null],
    ]),
    ...stepFacts("add them at", repository),
  ]);
}

function stepFacts(where: string, repository: string): Fact[] {
  const { settingsUrl, steps } = keySettingsOf(repository);
  return [[where, settingsUrl], ...steps.map((step, at): Fact => [`step ${at + 1}`, step])];
}
