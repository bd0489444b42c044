import { useState } from "preact/hooks";

import { ALL, useMay, useServers } from "#dashboard/data/resources.ts";
import { ServerCard } from "#dashboard/pages/servers/server-card.tsx";
import { AddServer } from "#dashboard/shared/add-server.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { Find, isLike } from "#dashboard/shared/find.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";

/** Every server: how it is, what is on it, and how it joins. */
export function Servers() {
  const servers = useServers(ALL);
  const mayChange = useMay("createServer");
  const [isAdding, setIsAdding] = useState(false);
  const [sought, setSought] = useState("");
  const close = () => {
    setIsAdding(false);
    void servers.reload();
  };
  return (
    <Page
      title="Servers"
      actions={
        mayChange ? (
          <Button look="main" onClick={() => setIsAdding(true)}>
            Add a server
          </Button>
        ) : null
      }
    >
      <Show of={servers} what="the servers">
        {({ servers: rows }) =>
          rows.length === 0 ? (
            <p>No server yet. A server is a host of yours that projects are deployed to.</p>
          ) : (
            <>
              <Find what="server" count={rows.length} sought={sought} onInput={setSought} />
              <ul class="cards">
                {rows
                  .filter(({ name, ip }) => isLike(`${name} ${ip}`, sought))
                  .map((server) => (
                    <li key={server.id}>
                      <ServerCard row={server} onChanged={servers.reload} />
                    </li>
                  ))}
              </ul>
            </>
          )
        }
      </Show>
      {isAdding ? (
        <Dialog title="Add a server" onClose={close}>
          <AddServer onConnected={servers.reload} />
          <footer>
            <Button onClick={close}>Close</Button>
          </footer>
        </Dialog>
      ) : null}
    </Page>
  );
}
