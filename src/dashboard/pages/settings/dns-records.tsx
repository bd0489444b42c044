import type { ProjectId, ServerId } from "#contract/ids.ts";
import { useServer } from "#dashboard/data/resources.ts";
import { DomainChecker } from "#dashboard/pages/settings/domain-checker.tsx";
import { CopyButton } from "#dashboard/shared/copy.tsx";
import { Table, TableRow } from "#dashboard/shared/table.tsx";

type Props = {
  readonly projectId: ProjectId;
  readonly serverId: ServerId;
  /** The host names of the site, as they are saved. */
  readonly names: readonly string[];
};

const columns = {
  name: { title: "Name" },
  type: { title: "Type" },
  value: { title: "Value" },
  actions: { title: "Copy", isActions: true },
} as const;

/** The DNS records that lead a site's host names to its server. Renders nothing if the token may not read the server. */
export function DnsRecords({ projectId, serverId, names }: Props) {
  const { value: server } = useServer(serverId);
  if (server === null) return null;
  return (
    <>
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
      <DomainChecker key={names.join(" ")} id={projectId} />
    </>
  );
}
