import { MAX_PROCESSES, type ProcessSettings } from "#contract/endpoints/processes/schemas.ts";
import { processUses } from "#contract/endpoints/processes/process-settings.ts";
import { keptSettings, settingUses } from "#contract/endpoints/projects/project-settings.ts";
import { Plan } from "#domain/lane/lane.ts";

/** What each field of a plan belongs to, in the order in which differences are named. */
const planFields: readonly (readonly [field: keyof Plan, belongs: "code" | "live" | "now"])[] = [
  ...keptSettings.map((name) => [name, settingUses[name].belongs] as const),
  // Applied at once, without a deployment.
  ["maintenance", "now"],
  ["fleet", "live"],
  // Who builds changes nothing on the servers.
  ["builder", "now"],
];

/** As `planFields`, for the settings of a process: a rollback neither scales a process nor starts a stopped one. */
const processFields: readonly (readonly [field: string, belongs: ProcessBelongs])[] = [
  ...Object.entries(processUses).map(([field, { belongs }]) => [field, belongs] as const),
  ["stopped", "scale"],
];
type ProcessBelongs = (typeof processUses)[keyof typeof processUses]["belongs"];

const processFieldsByName = new Map(processFields);

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

/** The settings of a plan that a hold protects, as JSON, by their names. */
export function namedSettings(plan: Plan): ReadonlyMap<string, string> {
  const values = planFields.flatMap(([field, belongs]) =>
    belongs === "now" ? [] : namedValues(field, plan),
  );
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, stableText(value)]])));
}

/** A field of a plan with its name, or the settings of its processes, each with its own name. */
function namedValues(field: keyof Plan, plan: Plan): [name: string, value: unknown][] {
  // How a deployment gets to the servers changes nothing on them.
  if (field === "fleet") return [["servers", plan.fleet?.servers]];
  if (field !== "processes") return [[field, plan[field]]];
  return Object.entries(plan.processes).flatMap(([process, settings]) =>
    Object.entries(settings).map(([setting, its]): [string, unknown] => [
      `processes.${process}.${setting}`,
      its,
    ]),
  );
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
  const fields = planFields.flatMap(([field, belongs]): [string, unknown][] => {
    const value = sources[belongs][field];
    return value === undefined ? [] : [[field, value]];
  });
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
