import type { Policy } from "#agent/policy/policy.ts";
import {
  policyFileOf,
  type PolicyRefusal,
  refusedBy,
  refuseSetting,
  shownCommand,
} from "#agent/policy/refuse.ts";
import type { ResolvedCronJob } from "#project-files/cron/resolve-cron.ts";
import type { AllProcessSettings, ProcessDefinitions } from "#contract/endpoints/processes/schemas.ts";
import type { Preset } from "#contract/endpoints/projects/settings.ts";
import { GANTRY_JSON } from "#project-files/processes/read-gantry-json.ts";
import { PROCFILE } from "#project-files/processes/read-procfile.ts";

/** Checks an install or build command of the project's settings. */
export function checkSettingCommand(
  policy: Policy,
  setting: "install_command" | "build_command",
  command: string | null | undefined,
): PolicyRefusal {
  if (policy.build_commands === "repository" && typeof command === "string")
    return refuseSetting(
      policy,
      "build_commands",
      `the command ${shownCommand(command)}`,
      setting,
      `${GANTRY_JSON} (${setting})`,
    );
  return checkOwnCommand(policy, command);
}

/**
 * Checks the framework of the project's settings: its preset decides which program runs the files of a repository. So a
 * preset for PHP would run what visitors have uploaded to an app of another language.
 */
export function checkFramework(policy: Policy, framework: string | undefined): PolicyRefusal {
  const rule = (["build_commands", "processes"] as const).find((one) => policy[one] === "repository");
  if (framework === undefined || rule === undefined) return null;
  return refuseSetting(policy, rule, `the framework ${framework}`, "framework", `${GANTRY_JSON} (framework)`);
}

/** Checks an install or build command that is not a preset's. */
function checkOwnCommand(policy: Policy, command: string | null | undefined): PolicyRefusal {
  if (command === undefined || command === null) return null;
  if (policy.build_commands === "preset")
    return refusedBy(policy, "build_commands", `a command that is not a preset's: ${shownCommand(command)}`);
  return checkBuildCommand(policy, command);
}

/**
 * Checks the install and the build command before they run, wherever they come from. Commands of the settings were
 * checked in the order. A list may also have both as one command, `install && build`, as older policies do. @param
 * presetCommands the commands of the preset
 */
export function checkBuildCommands(
  policy: Policy,
  { install_command, build_command }: Pick<Preset, "install_command" | "build_command">,
  presetCommands: readonly string[],
): PolicyRefusal {
  const commands = [install_command, build_command].filter((command) => command !== null);
  const both = commands.join(" && ");
  if (Array.isArray(policy.build_commands) && policy.build_commands.includes(both)) return null;
  const refusals = commands.map((command) =>
    presetCommands.includes(command) ? checkBuildCommand(policy, command) : checkOwnCommand(policy, command),
  );
  return refusals.find((refusal) => refusal !== null) ?? null;
}

function checkBuildCommand(policy: Policy, command: string): PolicyRefusal {
  const { build_commands: rule } = policy;
  if (rule === "any" || rule === "preset" || rule === "repository") return null;
  if (rule !== "none" && rule.includes(command)) return null;
  return refusedBy(policy, "build_commands", `the command ${shownCommand(command)}`);
}

/** Checks the activate command before it runs; `null` when there is none. */
export function checkActivateCommand(policy: Policy, command: string | null): PolicyRefusal {
  const { activate_commands: rule } = policy;
  if (command === null || rule === "any") return null;
  if (rule !== "none" && rule.includes(command)) return null;
  return refusedBy(policy, "activate_commands", `the activate command ${shownCommand(command)}`);
}

/** Checks the release command before it runs; `null` when there is none. */
export function checkReleaseCommand(
  policy: Policy,
  command: string | null,
  from: "settings" | "repository",
): PolicyRefusal {
  const { release_commands: rule } = policy;
  if (command === null || rule === "any") return null;
  const what = `the release command ${shownCommand(command)}`;
  if (rule === "repository")
    return from === "repository"
      ? null
      : refuseSetting(
          policy,
          "release_commands",
          what,
          "release_command",
          `the ${PROCFILE} (release: COMMAND) or ${GANTRY_JSON} (release_command)`,
        );
  if (rule !== "none" && rule.includes(command)) return null;
  return refusedBy(policy, "release_commands", what);
}

/**
 * Checks processes before they are started. Processes of the repository are known once the release is.
 * @param defined the processes that the repository of the release or its preset defines
 */
export function checkProcesses(
  policy: Policy,
  processes: readonly { readonly name: string; readonly command: string }[],
  defined: ProcessDefinitions,
): PolicyRefusal {
  const { processes: rule } = policy;
  if (rule === "any") return null;
  // A map, because a process may be named `constructor`.
  const own = new Map(Object.entries(defined));
  const refused = processes.find(({ name, command }) =>
    rule === "repository" ? own.get(name)?.command !== command : rule === "none" || !rule.includes(command),
  );
  if (refused === undefined) return null;
  const what = `a process with the command ${shownCommand(refused.command)}`;
  return rule === "repository"
    ? refuseSetting(
        policy,
        "processes",
        what,
        `processes.${refused.name}.command`,
        `the ${PROCFILE} (${refused.name}: COMMAND) or ${GANTRY_JSON}`,
      )
    : refusedBy(policy, "processes", what);
}

/** The commands that the settings of processes have. */
export function namedCommands(processes: AllProcessSettings) {
  return Object.entries(processes).flatMap(([name, { command }]) =>
    command === undefined ? [] : [{ name, command }],
  );
}

/** Checks a one-off command before it is started. */
export function checkCommand(policy: Policy, command: string): PolicyRefusal {
  const { commands: rule } = policy;
  if (rule === "any" || (rule !== "none" && rule.includes(command))) return null;
  const what = rule === "none" ? "one-off commands" : `the command ${shownCommand(command)}`;
  return refuseByDefault(policy, "commands", what);
}

/** Checks cron jobs before they are part of a deployment, and before each run. */
export function checkCron(
  policy: Policy,
  jobs: readonly Pick<ResolvedCronJob, "name" | "command" | "source">[],
): PolicyRefusal {
  const { cron: rule } = policy;
  if (rule === "any") return null;
  const refused = jobs.find(({ command, source }) =>
    rule === "repository" ? source !== "repository" : rule === "none" || !rule.includes(command),
  );
  if (refused === undefined) return null;
  const what = `a cron job with the command ${shownCommand(refused.command)}`;
  if (rule === "repository")
    return refuseSetting(policy, "cron", what, `the job ${refused.name}`, `${GANTRY_JSON} (cron)`);
  return refuseByDefault(policy, "cron", rule === "none" ? "cron jobs" : what);
}

/** The default of these rules refuses all, so the sentence says how to allow it. */
function refuseByDefault(policy: Policy, rule: "commands" | "cron", what: string): string {
  const file = policyFileOf(policy);
  const way =
    policy[rule] === "none"
      ? `allows them with the line "${rule}": "any" in ${file}, or by running the install command with --allow-${rule}`
      : `can add this line to the list "${rule}" in ${file}`;
  return refusedBy(policy, rule, what, `Its administrator ${way}`);
}
