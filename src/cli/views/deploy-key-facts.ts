import type { DeployKeySummary } from "#contract/endpoints/projects/repository-access.ts";
import { keySettingsOf } from "#contract/forge.ts";
import type { Output } from "#cli/output/output.ts";
import { printFacts } from "#cli/output/facts.ts";

/** Prints a project's public deploy key, and the steps to add it to the repository. */
export function printDeployKey(output: Output, key: DeployKeySummary, repository: string): void {
  const { settingsUrl, steps } = keySettingsOf(repository);
  if (output.form === "terminal") output.line();
  printFacts(output, [
    ["deploy key", key.public_key],
    ["fingerprint", key.fingerprint],
    ["add it at", settingsUrl],
    ...steps.map((step, at) => [`step ${at + 1}`, step] as const),
  ]);
}
