import type { ClientResult } from "#client/send.ts";
import { confirm } from "#cli/ask.ts";
import { done, type Outcome } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";

type Removal = {
  readonly question: string;
  /** The value of --yes. */
  readonly yes: boolean;
  readonly send: () => Promise<ClientResult<null>>;
  /** Printed with --json. */
  readonly json: Readonly<Record<string, string>>;
  /** Printed without --json. */
  readonly line: string;
};

/** Asks for confirmation, sends a DELETE request and prints the result. */
export async function remove(
  session: Session,
  { question, yes, send, json, line }: Removal,
): Promise<Outcome> {
  const confirmed = await confirm(session, question, yes);
  if (!confirmed.ok) return confirmed;
  const removed = await send();
  if (!removed.ok) {
    const { problem, unheard = 0 } = removed;
    // An earlier try may have removed it and lost only its response: then the next try gets a 404.
    if (problem.code !== "not_found" || unheard === 0) return removed;
  }
  session.output.json(json);
  session.output.line(line);
  return done;
}
