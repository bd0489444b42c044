import { useEffect, useId, useRef, useState } from "preact/hooks";

import { clientEndpoints } from "#contract/endpoints/client-endpoints.ts";
import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { ALL, useActivity, useMayCall, useProjects, useServers } from "#dashboard/data/resources.ts";
import { entriesOf, search } from "#dashboard/pages/search/entries.ts";
import { Dialog } from "#dashboard/shared/dialog.tsx";
import { useIsSectionShown } from "#dashboard/shared/use-is-section-shown.ts";

const MOST_RESULTS = 12;

/** A search over projects, deployments, servers, pages and commands. The arrow keys choose, and Enter opens. */
export function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { value: projects } = useProjects(ALL);
  const { value: servers } = useServers(ALL);
  const { value: activity } = useActivity(ALL);
  const isShown = useIsSectionShown();
  const mayCall = useMayCall();
  const entries = entriesOf({
    projects: projects?.projects ?? [],
    servers: servers?.servers ?? [],
    deployments: activity?.latest ?? [],
    isShown,
    mayAdd: mayCall(projectChangeEndpoints.createProject),
    mayDeploy: (projectId) => mayCall(clientEndpoints.startDeployment, projectId),
  });
  const found = search(entries, query, MOST_RESULTS);
  const at = Math.min(chosen, found.length - 1);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, query]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      setChosen((at + step + found.length) % found.length);
    }
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.click();
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <div class="search-all">
        <input
          type="text"
          role="combobox"
          aria-label="Search projects, deployments, servers, pages and commands"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder="Projects, deployments, servers, pages, commands"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results">
          {found.map(({ kind, label, hint, href }, index) => (
            <a
              key={`${href} ${label}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              href={href}
              onPointerMove={() => setChosen(index)}
              // Closed after the router has handled the click.
              onClick={() => setTimeout(onClose)}
            >
              <span class="label">{label}</span>
              <span class="quiet hint">{hint}</span>
              <span class="tag">{kind}</span>
            </a>
          ))}
        </div>
        <p class="quiet" role="status">
          {found.length === 0 ? `Nothing has “${query.trim()}”.` : ""}
        </p>
      </div>
    </Dialog>
  );
}
