import type { DeploymentFailure } from "#contract/endpoints/deployments/schemas.ts";
import type { Output } from "#cli/output/output.ts";
import { printable } from "#cli/output/printable.ts";
import { failureText } from "#cli/views/deployment-text.ts";

/**
 * Prints why a deployment or a build on this machine has failed, and what to do.
 * @param server on which of several servers
 */
export function printFailure(
  output: Output,
  what: string,
  failure: DeploymentFailure | null,
  details: string,
  server: string | null = null,
): void {
  const reason = failure === null ? "the reason is unknown" : failureText(failure);
  const { red } = output.style;
  output.line(`${red("✗")} ${what} failed${server === null ? "" : ` on ${server}`}: ${reason}${details}`);
  if (failure?.failing_line !== undefined) output.line(`  ${red(printable(failure.failing_line))}`);
  if (failure?.hint !== undefined) output.line(`  ${printable(failure.hint)}`);
}
