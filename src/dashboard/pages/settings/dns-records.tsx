import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { useServer } from "#dashboard/data/resources.ts";
import { DomainChecker } from "#dashboard/pages/settings/domain-checker.tsx";
import { CopyButton } from "#dashboard/shared/copy.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";

const columns = {
  name: { title: "Name" },
  type: { title: "Type" },
  value: { title: "Value" },
  actions: { title: "Copy", isActions: true },
} as const;

/** The DNS records that lead the saved host names of a site to its server. Renders nothing if the token may not read the server. */
export function DnsRecords({ project }: { readonly project: Project }) {
  const { value: server } = useServer(project.server_id);
  const names = [project.domain, ...project.aliases.map(({ domain }) => domain)];
  if (server === null) return null;
  return (
    <fieldset>
      <legend>DNS records</legend>
      <p>Create these records where your DNS is managed:</p>
      <Table label="DNS records" columns={columns}>
        {names.map((name) => (
          <TableRow
            key={name}
            columns={columns}
            cells={{
              name: <code>{name}</code>,
              type: "A",
              value: <code>{server.ip}</code>,
              actions: <CopyButton text={`${name}. A ${server.ip}`} variant="subtle" />,
            }}
          />
        ))}
      </Table>
      <DomainChecker key={names.join(" ")} id={project.id} />
    </fieldset>
  );
}
