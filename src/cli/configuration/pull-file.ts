import { commentsOf } from "#cli/configuration/comments.ts";
import { formatOf, parseDocument, printDocument } from "#cli/configuration/document.ts";
import { exportState } from "#cli/configuration/export-state.ts";
import { type Fields, fieldOf, isFields, isSame } from "#cli/configuration/json.ts";
import { keepText } from "#cli/configuration/keep-text.ts";
import { without } from "#cli/configuration/kind.ts";
import { readFileText } from "#cli/configuration/prepare-plan.ts";
import { readNames, readState, variablesIn } from "#cli/configuration/read-state.ts";
import { readWanted } from "#cli/configuration/read-wanted.ts";
import { writeOutput } from "#cli/configuration/write-output.ts";
import { type Result, stop } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";
import { succeed } from "#contract/lib/result.ts";

/** Writes what an installation has to a file, of the kinds that the file has. @returns whether the file changes */
export async function pullFile(session: Session, path: string): Promise<Result<boolean>> {
  const text = await readFileText(session, path);
  if (!text.ok) return text;
  const format = formatOf(path);
  const document = parseDocument(text.value, format, path);
  if (!document.ok) return document;
  const installed = await readNames(session);
  if (!installed.ok) return installed;
  const { environment, url } = session;
  const given = { path, names: installed.value, environment, url, isLenient: true };
  const wanted = readWanted(document.value, given);
  if (!wanted.ok) return wanted;
  const { state } = wanted.value;
  const inFile = new Set((state.get("projects") ?? []).map(({ key }) => key));
  const managed = variablesIn(state);
  const current = await readState(session, installed.value, {
    kind: (kind) => state.has(kind),
    variablesOf: (project) => managed.has(project) || !inFile.has(project),
  });
  if (!current.ok) return current;
  const exported = exportState(current.value, {
    names: installed.value,
    environment,
    url,
    before: state,
  });
  const next = ordered(
    document.value,
    document.value["servers"] === undefined ? without(exported, "servers") : exported,
  );
  const printed = printDocument(next, format, format === "toml" ? commentsOf(text.value) : undefined);
  const read = parseDocument(printed, format, path);
  if (read.ok && isSame(read.value, document.value)) return succeed(false);
  const now = await readFileText(session, path);
  if (!now.ok) return now;
  if (now.value !== text.value)
    return stop(
      "unwritable_file",
      `${path} was changed while the installation was read. Run the command again.`,
    );
  const change = { before: document.value, next, printed };
  const written = await writeOutput(
    session,
    path,
    format === "toml" ? keepText(text.value, change) : printed,
  );
  return written.ok ? succeed(true) : written;
}

/** The document with the keys of a table in the order of the file. */
function ordered(before: Fields, after: Fields): Fields {
  const keys = [...Object.keys(before), ...Object.keys(after)].filter(
    (key) => key === "$schema" || Object.hasOwn(after, key),
  );
  const entries = [...new Set(keys)].map((key) => {
    const old = fieldOf(before, key);
    const value = (key === "$schema" ? old : fieldOf(after, key)) ?? null;
    return [key, isFields(old) && isFields(value) ? ordered(old, value) : value] as const;
  });
  return Object.fromEntries(entries);
}
