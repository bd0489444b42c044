import { useState } from "preact/hooks";

import { ALL, useMay, useServers } from "#dashboard/data/resources.ts";
import { serverColumns, ServerRows } from "#dashboard/pages/servers/server-row.tsx";
import { AddServer } from "#dashboard/shared/add-server.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { EmptyState } from "#dashboard/shared/empty-state.tsx";
import { Find, matches } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Table } from "#dashboard/shared/table.tsx";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";

/** As in servers.css. */
const NARROW = "(width < 1240px)";

/** All servers, and a dialog to add one. */
export function Servers() {
  const servers = useServers(ALL);
  const mayChange = useMay("createServer");
  const [isAdding, setIsAdding] = useState(false);
  const [query, setQuery] = useState("");
  const columns = serverColumns(useBrowserValue(() => matchMedia(NARROW).matches, "resize"));
  const close = () => {
    setIsAdding(false);
    void servers.reload();
  };
  return (
    <Page
      title="Servers"
      actions={
        mayChange ? (
          <Button variant="primary" onClick={() => setIsAdding(true)}>
            Add a server
          </Button>
        ) : null
      }
    >
      <Show of={servers} what="the servers">
        {({ servers: rows }) =>
          rows.length === 0 ? (
            <EmptyState
              title="No servers yet"
              actions={
                mayChange ? <Button onClick={() => setIsAdding(true)}>Add the first server</Button> : null
              }
            >
              A server is a Linux machine of yours. Its agent connects to Gantry, builds your projects and
              serves them.
            </EmptyState>
          ) : (
            <>
              <Find what="server" count={rows.length} query={query} onInput={setQuery} />
              <div class="servers">
                <Table label="Servers" columns={columns}>
                  {rows
                    .filter(({ name, ip }) => matches(`${name} ${ip}`, query))
                    .map((server) => (
                      <ServerRows
                        key={server.id}
                        row={server}
                        columns={columns}
                        isOnly={rows.length === 1}
                        onChanged={servers.reload}
                      />
                    ))}
                </Table>
              </div>
            </>
          )
        }
      </Show>
      {isAdding ? (
        <Dialog title="Add a server" onClose={close}>
          <AddServer onConnected={servers.reload} onClose={close} />
        </Dialog>
      ) : null}
    </Page>
  );
}
