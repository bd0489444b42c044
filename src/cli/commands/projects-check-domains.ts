import { isRight } from "#contract/endpoints/domains/schemas.ts";
import { defineCommand } from "#cli/arguments/command.ts";
import { done } from "#cli/outcome.ts";
import { whileWaiting } from "#cli/output/while-waiting.ts";
import { findProject } from "#cli/session/find-named.ts";
import { withSession } from "#cli/session/session.ts";
import { domainColumns, domainRows } from "#cli/views/domain-text.ts";

export const projectsCheckDomains = defineCommand({
  name: "projects check-domains",
  summary: "Check whether a project's host names lead to its server",
  details: [
    "The server asks its name servers for the addresses of the domain and each alias, and the command says which DNS records to create. Exits with 1 if a name does not lead to the server, or leads to other addresses too, such as the addresses of a CDN.",
  ],
  words: { project: { isRequired: false, help: "Project name or ID (default: the linked project)" } },
  options: {},
  examples: ["projects check-domains shop", "projects check-domains shop --json"],
  run: withSession(async (session, { words }) => {
    const { client, output } = session;
    const found = await findProject(session, words.project);
    if (!found.ok) return found;
    const checking = client.checkDomains({ params: { project_id: found.value.id } });
    const checked = await whileWaiting(output, "The server looks up the host names", checking);
    if (!checked.ok) return checked;
    const { domains } = checked.value;
    output.json(checked.value);
    output.table(domainColumns, domainRows(domains, output.style));
    for (const { message } of domains) output.note(message);
    return domains.every(isRight) ? done : { ok: true, exit: "failed" };
  }),
});
