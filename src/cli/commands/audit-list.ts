import { readAll } from "#client/read-all.ts";
import { AuditOutcome, type AuditEntry } from "#contract/endpoints/audit/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { givenFields } from "#cli/arguments/given-fields.ts";
import { limitOption, readLimit } from "#cli/commands/limit-option.ts";
import { done } from "#cli/outcome.ts";
import { printable, printableName } from "#cli/output/printable.ts";
import { timeText } from "#cli/output/times.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";

export const auditList = defineCommand({
  name: "audit list",
  isGroupDefault: true,
  summary: "List who changed what, newest first",
  details: [
    "With --project, lists the entries about that project. With --json, an entry has all its fields.",
  ],
  words: {},
  options: {
    action: { kind: "text", value: "NAME", help: "Filter by operation, such as updateProject" },
    outcome: { kind: "text", value: "OUTCOME", choices: AuditOutcome.options, help: "Filter by outcome" },
    actor: { kind: "text", value: "ID", help: "Filter by the ID of the member, token, hook or server" },
    target: { kind: "text", value: "ID", help: "Filter by the ID of what was changed" },
    ...limitOption("entries"),
  },
  examples: ["audit -n 50", "audit --outcome refused --json"],
  run: withSession(async (session, { options }) => {
    const { client, output, global } = session;
    const limit = readLimit(options);
    if (!limit.ok) return limit;
    const project = global.project === null ? null : await findProject(session);
    if (project !== null && !project.ok) return project;
    const outcome = AuditOutcome.safeParse(options.outcome);
    const filters = givenFields({
      project_id: project === null ? null : project.value.id,
      action: options.action,
      outcome: outcome.success ? outcome.data : null,
      actor_id: options.actor,
      target_id: options.target,
    });
    const found = await readAll(
      ({ query }) => client.listAuditEntries({ query: { ...filters, ...query } }),
      (page) => page.entries,
      limit.value,
    );
    if (!found.ok) return found;
    output.json({ entries: found.value });
    output.table(
      ["TIME", "BY", "FROM", "ACTION", "OUTCOME", "TARGET", "CHANGED"],
      found.value.map((entry) => [
        timeText(entry.timestamp, output),
        printableName(entry.actor.name),
        entry.ip ?? "–",
        entry.action,
        entry.code ?? entry.outcome,
        targetText(entry),
        Object.keys(entry.changes ?? {})
          .map(printable)
          .join(", "),
      ]),
    );
    return done;
  }),
});

function targetText({ target }: AuditEntry): string {
  if (target === null) return "–";
  return `${target.type} ${target.name === null ? target.id : printableName(target.name)}`;
}
