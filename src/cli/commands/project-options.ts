import { CommitRule } from "#contract/endpoints/projects/schemas.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";

/** The settings of a project that the command line takes. The API knows more (`/docs` of the installation). */
export const projectOptions = {
  branch: { kind: "text", short: "b", value: "NAME", help: "The branch to deploy; main without it" },
  commits: {
    kind: "text",
    value: "RULE",
    choices: CommitRule.options,
    help: "Which commits can be deployed by their hash; reachable without it",
  },
  framework: { kind: "text", value: "NAME", help: "Such as astro; found by the files without it" },
  "build-command": {
    kind: "text",
    value: "COMMAND",
    help: "What builds it, in sh; the framework's without it",
  },
  "output-directory": { kind: "text", value: "PATH", help: "What is published; the framework's without it" },
  "activate-command": { kind: "text", value: "COMMAND", help: "What is run after the switch" },
  "root-directory": { kind: "text", value: "PATH", help: "Where in the repository the project is" },
  domain: { kind: "text", value: "HOST", help: "Its host name" },
  "shared-path": { kind: "list", value: "PATH", help: "A path that all releases share" },
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
