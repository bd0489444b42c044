import { followOutput } from "#client/follow-output.ts";
import {
  type AppOutputLine,
  DEFAULT_OUTPUT_LINES,
  MAX_LAST_LINES,
  OutputQuery,
} from "#contract/endpoints/output/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { done, type Outcome, type Result, stop } from "#cli/outcome.ts";
import type { Output } from "#cli/output/output.ts";
import { printable, printableInColour } from "#cli/output/printable.ts";
import { findProject } from "#cli/session/find-named.ts";
import { printFollowed } from "#cli/session/print-followed.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** The options of `gantry logs` that belong to --app. */
export const appOptions = {
  app: { kind: "flag", help: "Show what the processes of the project print, and follow it" },
  process: { kind: "list", value: "NAME", help: "With --app: only this process" },
  instance: { kind: "text", value: "NAME", help: "With --app: only this instance, such as web-12-0" },
  lines: {
    kind: "text",
    value: "COUNT",
    help: `With --app: how many of the last lines come first (default: ${DEFAULT_OUTPUT_LINES})`,
  },
  "no-follow": { kind: "flag", help: "With --app: end after the last lines" },
} as const;

/** After how long a command that has nothing to print says so. */
const SILENCE_MS = 2_000;

type Given = {
  readonly process: readonly string[];
  readonly instance: string | null;
  readonly lines: string | null;
  readonly "no-follow": boolean;
};

/** Prints what the instances of a project print, until Ctrl-C unless the options say otherwise. */
export async function printAppOutput(
  session: Session,
  project: string | null,
  given: Given,
): Promise<Outcome> {
  const query = readQuery(given);
  if (!query.ok) return query;
  const found = await findProject(session, project);
  if (!found.ok) return found;
  const { id } = found.value;
  if (!given["no-follow"]) return follow(session, id, query.value);
  const read = await session.client.getOutput({ params: { project_id: id }, query: query.value });
  if (!read.ok) return read;
  for (const line of read.value.lines) printLine(session.output, line);
  return done;
}

function readQuery({
  process,
  instance,
  lines,
}: Given): Result<{ process?: string; instance?: string; lines: number }> {
  const [name, ...others] = process;
  if (others.length > 0) return stop("usage", "--process can be given once with --app.");
  const query = {
    ...(name === undefined ? {} : { process: name }),
    ...(instance === null ? {} : { instance }),
    lines: lines === null ? DEFAULT_OUTPUT_LINES : Number(lines),
  };
  const read = OutputQuery.safeParse({ ...query, lines: String(query.lines) });
  if (read.success) return succeed(query);
  const wrong = new Set(read.error.issues.map(({ path }) => path[0]));
  const rules = [
    ["lines", `a number from 1 to ${MAX_LAST_LINES}`],
    ["process", "the name of a process, such as web"],
    ["instance", "the name of an instance, such as web-12-0"],
  ] as const;
  const broken = rules
    .filter(([option]) => wrong.has(option))
    .map(([option, rule]) => `--${option} must be ${rule}`);
  return stop("usage", `${broken.join(", ")}.`);
}

async function follow(
  session: Session,
  id: ProjectId,
  query: { process?: string; instance?: string; lines: number },
): Promise<Outcome> {
  const { output, transport, signal } = session;
  const silence = setTimeout(
    () => output.note("No output yet. gantry ps shows which processes run. Ctrl-C ends."),
    SILENCE_MS,
  );
  try {
    return await printFollowed(session, followOutput(transport, id, { query, signal }), (item) => {
      clearTimeout(silence);
      if (item.type === "line") return printLine(output, item.line);
      output.json(item);
      output.note(leftOutText(item.lines));
    });
  } finally {
    clearTimeout(silence);
  }
}

function leftOutText(lines: number | null): string {
  return lines === null
    ? "Lines may be missing here: the connection to the server was lost."
    : `${lines} ${lines === 1 ? "line is" : "lines are"} left out: the app prints faster than they can be sent.`;
}

function printLine(output: Output, { instance, message }: AppOutputLine): void {
  const { form, style } = output;
  if (form === "json") return output.json({ type: "line", instance, message });
  if (form === "plain") return output.line(`${instance}\t${printable(message)}`);
  const text = style.dim("x") === "x" ? printable(message) : printableInColour(message);
  output.line(`${style.dim(instance)} ${text}`);
}
