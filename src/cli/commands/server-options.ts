import { ProcessName } from "#contract/endpoints/processes/schemas.ts";
import { type ProjectServer, RolloutChanges, rolloutFields } from "#contract/endpoints/projects/servers.ts";
import { succeed } from "#contract/lib/result.ts";
import { didYouMean } from "#contract/lib/suggest.ts";
import type { Options, OptionSpecs } from "#cli/arguments/command-spec.ts";
import { type Result, stop } from "#cli/outcome.ts";

/** The options for a project on several servers. */
export const serverOptions = {
  server: {
    kind: "list",
    value: "SERVER",
    help: "Server name or ID; several in the order in which they switch. SERVER=web,worker runs only these processes there",
  },
  "cron-server": {
    kind: "text",
    value: "SERVER",
    help: "Server on which the cron jobs run (default: the first)",
  },
  rollout: {
    kind: "list",
    value: "FIELD=VALUE",
    help: "How a deployment gets to several servers, such as batch=2",
  },
} as const satisfies OptionSpecs;

const { order, on_failure: onFailure, offline } = rolloutFields;
const yesOrNo = ["yes", "no"];
const rolloutNames = [...Object.keys(rolloutFields), "canary_approval"];
const choicesOf = new Map<string, readonly string[]>([
  ["order", order.options],
  ["on_failure", onFailure.options],
  ["offline", offline.options],
  ["canary_approval", yesOrNo],
]);

/** Explains these options in the help of a command. */
export const serverDetails = `With several --server, a deployment goes to all of them, and none switches before all are ready. --server jobs-1=worker,mailer runs only these processes there; a server whose list lacks web does not serve the domain, and an empty list, as in --server jobs-1=, runs none. The fields of --rollout are order (${order.options.join(", ")}), batch, pause_seconds, canary (how many switch first; empty for none), canary_approval (${yesOrNo.join(" or ")}: whether the others wait for gantry approve), on_failure (${onFailure.options.join(", ")}), offline (${offline.options.join(", ")}) and min.`;

type Named = { readonly name: string };
type Place = Pick<ProjectServer, "processes"> & { readonly word: string };

/**
 * Splits `jobs-1=worker,mailer` into the server and its processes; null: all. A name that contains `=` is used as it is.
 * @param servers the servers of the account; empty: not known
 */
export function readPlace(text: string, servers: readonly Named[]): Result<Place> {
  const wanted = text.normalize("NFC");
  const at = text.lastIndexOf("=");
  if (at === -1 || servers.some(({ name }) => name.normalize("NFC") === wanted))
    return succeed({ word: text, processes: null });
  const word = text.slice(0, at);
  const names = text.slice(at + 1).split(",");
  const processes: ProcessName[] = [];
  for (const name of names.length === 1 && names[0] === "" ? [] : names) {
    const process = ProcessName.safeParse(name);
    if (!process.success)
      return stop(
        "usage",
        `--server ${text}: after =, name processes with commas between them, such as ${word}=web,worker.`,
      );
    if (processes.includes(process.data)) return stop("usage", `--server ${text} names ${name} twice.`);
    processes.push(process.data);
  }
  return succeed({ word, processes });
}

/** Reads words such as `batch=2`; null without any. */
export function readRollout({
  rollout: words,
}: Pick<Options<typeof serverOptions>, "rollout">): Result<RolloutChanges | null> {
  if (words.length === 0) return succeed(null);
  const fields = new Map<string, unknown>();
  for (const word of words) {
    const [, field, text = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (field === undefined)
      return stop("usage", `--rollout ${word} is not FIELD=VALUE, such as batch=2.${meantField(word)}`);
    if (!rolloutNames.includes(field))
      return stop("usage", `--rollout has no field ${field}.${meantField(field)}`);
    const choices = choicesOf.get(field);
    if (choices !== undefined && !choices.includes(text))
      return stop(
        "usage",
        `--rollout ${field} must be one of ${choices.join(", ")}.${didYouMean(text, choices)}`,
      );
    fields.set(field, choices === undefined ? numberIn(field, text) : text);
  }
  const approval = fields.get("canary_approval");
  if (approval !== undefined) {
    const size = fields.get("canary");
    if (typeof size !== "object" || size === null)
      return stop("usage", "--rollout canary_approval needs the number of servers too: --rollout canary=1.");
    fields.set("canary", { ...size, approval: approval === "yes" });
    fields.delete("canary_approval");
  }
  const parsed = RolloutChanges.safeParse(Object.fromEntries(fields));
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  return stop("usage", `--rollout ${String(issue?.path[0] ?? "")} ${issue?.message ?? "is not valid"}.`);
}

/** An empty `canary` is none. What is no number is left to the schema, which refuses it. */
function numberIn(field: string, text: string): unknown {
  const number = /^\d+$/.test(text) ? Number(text) : text;
  if (field !== "canary") return number;
  return text === "" ? null : { size: number };
}

const meantField = (typed: string): string => didYouMean(typed, rolloutNames);
