import { CommitRule } from "#contract/endpoints/projects/schemas.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";

/** The project settings that have an option. The API has more (see `/docs` of the installation). */
export const projectOptions = {
  branch: { kind: "text", short: "b", value: "NAME", help: "Branch to deploy" },
  commits: {
    kind: "text",
    value: "RULE",
    choices: CommitRule.options,
    help: "Which commits can be deployed by hash",
  },
  framework: { kind: "text", value: "NAME", help: "Framework, such as astro" },
  "build-command": {
    kind: "text",
    value: "COMMAND",
    help: "Build command, run by sh",
  },
  "output-directory": { kind: "text", value: "PATH", help: "Directory to publish" },
  "activate-command": {
    kind: "text",
    value: "COMMAND",
    help: "Command to run after the switch to the new release",
  },
  "root-directory": { kind: "text", value: "PATH", help: "Directory of the project in the repository" },
  domain: { kind: "text", value: "HOST", help: "Host name of the site" },
  "shared-path": { kind: "list", value: "PATH", help: "Path that all releases share" },
} as const satisfies OptionSpecs;

/** The fields of a request's body for the given options. The control plane validates their values. */
export function projectFields(options: Options<typeof projectOptions>) {
  const { branch, framework, domain } = options;
  const paths = options["shared-path"];
  return givenFields({
    branch,
    commits: CommitRule.options.find((rule) => rule === options.commits) ?? null,
    framework,
    build_command: options["build-command"],
    output_directory: options["output-directory"],
    activate_command: options["activate-command"],
    root_directory: options["root-directory"],
    domain,
    shared_paths: paths.length === 0 ? null : [...paths],
  });
}
