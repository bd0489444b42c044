import { AllProcessSettings, ProcessChanges } from "#contract/endpoints/processes/schemas.ts";
import type { Alias } from "#contract/endpoints/projects/settings.ts";
import { readJobs } from "#cli/commands/read-jobs.ts";
import type { CronJobs } from "#contract/endpoints/cron/job-schemas.ts";
import { succeed } from "#contract/lib/result.ts";
import { processFields, processUses } from "#contract/endpoints/processes/process-settings.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The options for a project's processes and cron jobs, and for the host names that lead to it. */
export const processOptions = {
  alias: { kind: "list", value: "HOST", help: "Another host name, which redirects to the domain" },
  "serve-alias": { kind: "list", value: "HOST", help: "Another host name, which shows the same site" },
  process: {
    kind: "list",
    value: "NAME.FIELD=VALUE",
    help: "Setting of a process, such as worker.instances=2",
  },
  cron: {
    kind: "list",
    value: "NAME=SCHEDULE COMMAND",
    help: "Cron job, such as 'backup=30 2 * * * ./backup', or its field, such as backup.timezone=Europe/Berlin",
  },
  drain: {
    kind: "text",
    value: "SECONDS",
    help: "How long replaced instances may finish their requests (default: 30)",
  },
} as const satisfies OptionSpecs;

/** Explains `--process` in the help of a command. */
export const processDetails = `The fields of --process are ${processFields.slice(0, -1).join(", ")} and ${processFields.at(-1)}. They take precedence over the repository's.`;

const kindOf = new Map<string, "text" | "number" | "flag">(
  processFields.map((field) => [field, processUses[field].kind]),
);

type Fields = {
  readonly aliases: Alias[] | null;
  readonly drain_seconds: number | null;
  readonly processes: ProcessChanges | null;
  readonly cron: CronJobs | null;
};

/** The fields of a request's body for the given options; `null` for omitted ones. */
export function readProcessOptions(options: Options<typeof processOptions>): Result<Fields> {
  const { drain } = options;
  if (drain !== null && !/^\d+$/.test(drain)) return stop("usage", "--drain must be a whole number.");
  const aliases = [
    ...options.alias.map((domain) => ({ domain, redirect: true })),
    ...options["serve-alias"].map((domain) => ({ domain, redirect: false })),
  ];
  const processes = readProcesses(options.process);
  if (!processes.ok) return processes;
  const cron = readJobs(options.cron);
  if (!cron.ok) return cron;
  return succeed({
    aliases: aliases.length === 0 ? null : aliases,
    drain_seconds: drain === null ? null : Number(drain),
    processes: options.process.length === 0 ? null : processes.value,
    cron: options.cron.length === 0 ? null : cron.value,
  });
}

/** Reads words such as `web.instances=2`. An empty value removes the project's own setting. */
function readProcesses(words: readonly string[]): Result<ProcessChanges> {
  const changes = new Map<string, Record<string, unknown>>();
  for (const word of words) {
    const [, name, field, text] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || field === undefined || text === undefined)
      return stop("usage", `${word} is not NAME.FIELD=VALUE, such as worker.instances=2.`);
    const kind = kindOf.get(field);
    if (kind === undefined)
      return stop("usage", `A process has no field ${field}.${didYouMean(field, [...kindOf.keys()])}`);
    changes.set(name, { ...changes.get(name), [field]: valueOf(kind, text) });
  }
  const parsed = ProcessChanges.safeParse(Object.fromEntries(changes));
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  return stop("usage", `--process ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}.`);
}

function valueOf(kind: "text" | "number" | "flag", text: string): unknown {
  if (text === "") return null;
  if (kind === "number" && /^\d+$/.test(text)) return Number(text);
  if (kind === "flag" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The settings of the processes of a new project, which has no settings to remove yet. */
export function withoutRemovals(processes: ProcessChanges | null): Result<AllProcessSettings | null> {
  if (processes === null) return succeed(null);
  const parsed = AllProcessSettings.safeParse(processes);
  return parsed.success ? succeed(parsed.data) : stop("usage", "--process needs a value for a new project.");
}
