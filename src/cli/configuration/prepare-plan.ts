import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { findUnsealed } from "#cli/configuration/find-unsealed.ts";
import { formatOf, parseDocument } from "#cli/configuration/document.ts";
import { pathOf, type State } from "#cli/configuration/item.ts";
import type { Names } from "#cli/configuration/names.ts";
import { fingerprintOf, type Plan, planChanges, type PlanOptions } from "#cli/configuration/plan.ts";
import { pathText } from "#cli/configuration/print-toml.ts";
import { readNames, readState, variablesIn } from "#cli/configuration/read-state.ts";
import { readWanted } from "#cli/configuration/read-wanted.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { CommandContext } from "#cli/context.ts";
import { whileWaiting } from "#cli/output/while-waiting.ts";
import type { Session } from "#cli/session/session.ts";
import { readText } from "#cli/variables/read-text.ts";
import { succeed } from "#contract/lib/result.ts";

/** The file that the commands read by default. */
export const DEFAULT_FILE = "gantry.toml";

/** A file and the installation that it is for. */
type Compared = {
  readonly wanted: State;
  readonly current: State;
  /** Of the installation, as the file has them. */
  readonly names: Names;
  /** Of the file. */
  readonly notices: readonly string[];
};

export type Prepared = Compared & { readonly plan: Plan; readonly fingerprint: string };

/** Reads the text of a file. @param path `-` for standard input */
export async function readFileText(context: CommandContext, path: string): Promise<Result<string>> {
  if (path === DEFAULT_FILE && !existsSync(resolve(context.folder, path)))
    return stop(
      "unreadable_file",
      `There is no ${DEFAULT_FILE} here. gantry config export > ${DEFAULT_FILE} writes it. For the variables of a project, see gantry variables --help.`,
    );
  return await readText(context, path);
}

/** Reads a file and what the installation has of the kinds in it. */
async function compareFile(session: Session, path: string): Promise<Result<Compared>> {
  const text = await readFileText(session, path);
  if (!text.ok) return text;
  const document = parseDocument(text.value, formatOf(path), path);
  if (!document.ok) return document;
  const installed = await readNames(session);
  if (!installed.ok) return installed;
  const { environment, url } = session;
  const wanted = readWanted(document.value, { path, names: installed.value, environment, url });
  if (!wanted.ok) return wanted;
  const { state, names, notices } = wanted.value;
  const managed = variablesIn(state);
  const current = await readState(session, names, {
    kind: (kind) => state.has(kind),
    variablesOf: (project) => managed.has(project),
  });
  if (!current.ok) return current;
  const marked = await findUnsealed(session, { wanted: state, current: current.value, names });
  return marked.ok ? succeed({ wanted: state, current: marked.value, names, notices }) : marked;
}

/** Makes the plan for a file. */
export async function preparePlan(
  session: Session,
  path: string,
  options: PlanOptions,
): Promise<Result<Prepared>> {
  const compared = await whileWaiting(session.output, "Reading the installation", compareFile(session, path));
  if (!compared.ok) return compared;
  const { wanted, current, notices } = compared.value;
  const changes = planChanges(wanted, current, options);
  const plan = { ...changes, notices: [...notices, ...changes.notices] };
  const masked = plan.steps.find(({ act, item }) => act === "create" && item.masked.length > 0);
  if (masked !== undefined) {
    const place = pathText([...pathOf(masked.item), ...masked.item.masked.slice(0, 1)]);
    return stop(
      "invalid_file",
      `${place} has ***, which hides a password or a value of a query. Write it in full; a repository without its password.`,
    );
  }
  const fingerprint = await fingerprintOf(session.url, compared.value, options);
  return succeed({ ...compared.value, plan, fingerprint });
}
