import { MAX_PROCESSES, type ProcessSettings } from "#contract/endpoints/processes/schemas.ts";
import { Plan } from "#domain/lane/lane.ts";

/**
 * What a setting belongs to. `code`: what runs, so a rollback can take it back together with the code. `live`: where the
 * project is served and how much it may use, which earlier code does not bring back. `now`: nothing that a hold protects;
 * a rollback always has today's.
 */
type Belongs = "code" | "live" | "now";

type Field = { readonly name: string; readonly belongs: Belongs };

/** Each field of a plan, with its name in the API. A hold stops a rollback that differs in a field that is not `now`. */
const planFields: Record<keyof Plan, Field> = {
  projectName: { name: "name", belongs: "now" },
  domain: { name: "domain", belongs: "live" },
  repository: { name: "repository", belongs: "code" },
  // A build can take over the build cache of this branch.
  defaultBranch: { name: "branch", belongs: "code" },
  // The commit of a rollback was live, so the rule does not count for it.
  commits: { name: "commits", belongs: "now" },
  rootDirectory: { name: "root_directory", belongs: "code" },
  build: { name: "build", belongs: "code" },
  // A rollback runs none.
  releaseCommand: { name: "release_command", belongs: "now" },
  activateCommand: { name: "activate_command", belongs: "code" },
  sharedPaths: { name: "shared_paths", belongs: "code" },
  keepReleases: { name: "keep_releases", belongs: "now" },
  assetOverlap: { name: "asset_overlap", belongs: "now" },
  healthCheck: { name: "health_check", belongs: "code" },
  limits: { name: "limits", belongs: "live" },
  timeouts: { name: "timeouts", belongs: "now" },
  processes: { name: "processes", belongs: "code" },
  drainSeconds: { name: "drain_seconds", belongs: "live" },
  aliases: { name: "aliases", belongs: "live" },
  cron: { name: "cron", belongs: "code" },
  // Applied at once, without a deployment.
  maintenance: { name: "maintenance", belongs: "now" },
};

/**
 * As `planFields`, for the settings of a process: a rollback neither scales a process nor starts a stopped one. `scale`:
 * `live`, and a change of it alone is not held.
 */
type ProcessBelongs = "code" | "live" | "scale";
const processFields: Record<keyof ProcessSettings, ProcessBelongs> = {
  command: "code",
  port: "code",
  stop_signal: "code",
  stop_seconds: "code",
  overlap: "code",
  instances: "scale",
  memory_mb: "live",
  cpu_weight: "live",
  tasks: "live",
  stopped: "scale",
};

const fieldsByKey = new Map<string, Field>(Object.entries(planFields));
const processFieldsByName = new Map<string, ProcessBelongs>(Object.entries(processFields));

/** The name in a list of differences for the settings as a whole, if the live settings are not known. */
const ALL = "settings";

/** The names of the settings in which a plan differs from the live one, as far as a hold protects them. */
export function planDifferences(live: Plan | null, next: Plan): string[] {
  if (live === null) return [ALL];
  const [before, after] = [namedSettings(live), namedSettings(next)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name));
}

/** Whether two plans are the same in every field. */
export function isSamePlan(one: Plan, other: Plan): boolean {
  return one === other || stableText(one) === stableText(other);
}

/** The settings of a plan that a hold protects, as JSON, by their names in the API. */
export function namedSettings(plan: Plan): ReadonlyMap<string, string> {
  const values = Object.entries(plan).flatMap(([field, value]) => namedValues(field, value));
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, stableText(value)]])));
}

/** The settings of a field, such as the commands of `build`, each with its name in the API. */
function namedValues(field: string, value: unknown): [name: string, value: unknown][] {
  const { name, belongs } = fieldsByKey.get(field) ?? { name: field, belongs: "code" };
  if (belongs === "now") return [];
  if (field === "build") return entriesOf(value);
  if (field !== "processes") return [[name, value]];
  return entriesOf(value).flatMap(([process, settings]) =>
    entriesOf(settings).map(([setting, its]): [string, unknown] => [`processes.${process}.${setting}`, its]),
  );
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** JSON in which the order of the keys does not count. */
function stableText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/**
 * Where a plan comes from, for each field: the settings that the code was live with, the live settings, and the
 * project's settings now.
 */
type Sources = { readonly code: Plan; readonly live: Plan; readonly now: Plan };

/** The plan of a rollback with the settings that its code was live with. */
export function earlierPlan(sources: Sources): Plan {
  const fields = [...fieldsByKey].map(([field, { belongs }]): [string, unknown] => [
    field,
    new Map<string, unknown>(Object.entries(sources[belongs])).get(field),
  ]);
  const processes = earlierProcesses(sources.code.processes, sources.live.processes);
  return Plan.parse({ ...Object.fromEntries(fields), processes });
}

type Processes = Plan["processes"];

/**
 * The settings of the code's processes as they are live now. A process that only the code's settings have does not
 * start if it was stopped. A process that only the live settings have may be in the code's repository; stopped
 * processes come first, because a project has a limited number.
 */
function earlierProcesses(code: Processes, live: Processes): Processes {
  const [codes, lives] = [new Map(Object.entries(code)), new Map(Object.entries(live))];
  const merged = namesOf(codes, lives).map((name): [string, ProcessSettings] => {
    const then = codes.get(name) ?? {};
    const wasStopped = then.command !== undefined && then.stopped === true ? { stopped: true } : {};
    const now = lives.get(name) ?? wasStopped;
    return [name, Object.fromEntries([...fieldsOf(then, "code"), ...fieldsOf(now, "live", "scale")])];
  });
  return limited(merged);
}

/** A plan with the number of instances and the stops of processes from a later one. */
export function withScaleOf(plan: Plan, later: Plan): Plan {
  const [own, others] = [plan.processes, later.processes].map((one) => new Map(Object.entries(one)));
  if (own === undefined || others === undefined) return plan;
  const merged = namesOf(own, others).map((name): [string, ProcessSettings] => {
    const [before, after] = [own.get(name), others.get(name)];
    // A process that only earlier settings define is removed by more than a change of scale.
    if (before?.command !== undefined && after === undefined) return [name, before];
    return [
      name,
      Object.fromEntries([...fieldsOf(before ?? {}, "code", "live"), ...fieldsOf(after ?? {}, "scale")]),
    ];
  });
  return { ...plan, processes: limited(merged) };
}

type ByName = ReadonlyMap<string, ProcessSettings>;

/** The names of both: all names of the first, then the other names, with stopped processes before running ones. */
function namesOf(first: ByName, second: ByName): string[] {
  const isStopped = (name: string) => second.get(name)?.stopped === true;
  const others = [...second.keys()].filter((name) => !first.has(name));
  return [...first.keys(), ...others.toSorted((a, b) => Number(isStopped(b)) - Number(isStopped(a)))];
}

function fieldsOf(settings: ProcessSettings, ...belongs: readonly ProcessBelongs[]): [string, unknown][] {
  return Object.entries(settings).filter(([field]) =>
    belongs.some((one) => one === processFieldsByName.get(field)),
  );
}

function limited(processes: readonly [string, ProcessSettings][]): Processes {
  const named = processes.filter(([, settings]) => Object.keys(settings).length > 0);
  return Object.fromEntries(named.slice(0, MAX_PROCESSES));
}
