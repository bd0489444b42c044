import type { Project } from "#contract/endpoints/projects/schemas.ts";
import { ALL, useServers } from "#dashboard/data/resources.ts";
import { entryAddresses } from "#dashboard/pages/settings/entry-draft.ts";
import { DomainChecker } from "#dashboard/pages/settings/domain-checker.tsx";
import { CopyButton } from "#dashboard/shared/copy.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";

const columns = {
  name: { title: "Name" },
  type: { title: "Type" },
  value: { title: "Value" },
  actions: { title: "Copy", isActions: true },
} as const;

/**
 * The DNS records that lead the saved host names of a site to its servers or balancers. Renders nothing if the token may not
 * read servers, or if the address is of a load balancer that Gantry does not know.
 */
export function DnsRecords({ project }: { readonly project: Project }) {
  const { value } = useServers(ALL);
  const names = [project.domain, ...project.aliases.map(({ domain }) => domain)];
  const addresses = entryAddresses(project, value?.servers ?? []);
  if (addresses.length === 0) return null;
  const records = names.flatMap((name) => addresses.map((ip) => ({ name, ip })));
  return (
    <fieldset>
      <legend>DNS records</legend>
      <p>Create these records where your DNS is managed:</p>
      <Table label="DNS records" columns={columns}>
        {records.map(({ name, ip }) => (
          <TableRow
            key={`${name} ${ip}`}
            columns={columns}
            cells={{
              name: <code>{name}</code>,
              type: "A",
              value: <code>{ip}</code>,
              actions: <CopyButton text={`${name}. A ${ip}`} variant="subtle" />,
            }}
          />
        ))}
      </Table>
      <DomainChecker key={names.join(" ")} id={project.id} />
    </fieldset>
  );
}
