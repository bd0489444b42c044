import type { Followed } from "#client/follow-stream.ts";
import type { Outcome } from "#cli/outcome.ts";
import type { Session } from "#cli/session/session.ts";

/**
 * Prints what a stream brings until Ctrl-C. After a lost connection it waits for the next one, for as long as the session
 * says.
 */
export async function printFollowed<Item extends { readonly type: string }>(
  { output, reconnectForMs }: Session,
  events: AsyncIterable<Followed<Item>>,
  print: (item: Item) => void,
): Promise<Outcome> {
  let disconnectedAt: number | null = null;
  for await (const event of events) {
    if (!isControl(event)) {
      disconnectedAt = null;
      print(event);
    } else if (event.type === "problem") return { ok: false, problem: event.problem };
    else if (event.type === "waiting") {
      const now = performance.now();
      if (now - (disconnectedAt ?? now) + event.ms > reconnectForMs)
        return { ok: false, problem: event.problem };
      if (disconnectedAt === null) {
        output.json({ type: "waiting", problem: event.problem });
        output.note(`${event.problem.detail} Trying again.`);
      }
      disconnectedAt ??= now;
    } else disconnectedAt = null;
  }
  return { ok: true, exit: "interrupted" };
}

type Control = Exclude<Followed<never>, never>;

function isControl(event: Followed<{ readonly type: string }>): event is Control {
  return event.type === "open" || event.type === "waiting" || event.type === "problem";
}
